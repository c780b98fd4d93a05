#include "harness/session/step_times.hpp"

#include <fmt/format.h>

namespace nasvm {
namespace {

/// Without remarks: "mg class S, 4 tasks, direct (warm-up)".
std::string name_of(const std::string& step) { return step.substr(0, step.find(" (")); }

std::string work_of(const std::string& step) {
  const std::string name = name_of(step);
  return name.substr(0, name.rfind(", "));
}

}  // namespace

void StepTimes::add(const std::string& step, double seconds) {
  by_name_[name_of(step)].add(seconds);
  by_work_[work_of(step)].add(seconds);
  all_.add(seconds);
}

double StepTimes::one_s(const std::string& step) const {
  if (const auto found = by_name_.find(name_of(step)); found != by_name_.end()) return found->second.value();
  if (const auto found = by_work_.find(work_of(step)); found != by_work_.end()) return found->second.value();
  return all_.value();
}

std::optional<double> StepTimes::estimate_s(std::span<const std::string> steps) const {
  if (all_.count == 0) return std::nullopt;
  double sum_s = 0;
  for (const std::string& step : steps) sum_s += one_s(step);
  return sum_s;
}

std::string duration_text(double seconds) {
  const auto whole = static_cast<long>(seconds);
  if (whole < 3600) return fmt::format("{}:{:02}", whole / 60, whole % 60);
  return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

}  // namespace nasvm
