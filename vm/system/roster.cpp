#include "vm/system/roster.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "vm/system/protocol.hpp"

namespace nasvm {

using namespace system_protocol;

bool TaskRoster::hear_output(const std::string& line) {
  auto reports = parse_reports(line);
  if (!reports.has_value()) return false;
  reports_ = *std::move(reports);
  return true;
}

bool TaskRoster::hear_error(const std::string& line) {
  const auto said = parse_task_line(line);
  if (!said.has_value()) return false;
  if (const auto* gave_up = std::get_if<GaveUp>(&*said)) {
    note(Gravity::failed, describe(gave_up->rank) + ": " + gave_up->text, gave_up->exit_status);
  } else if (const auto& joined = std::get<Joined>(*said); is_rank(joined.rank)) {
    tasks_[static_cast<std::size_t>(joined.rank)] = {joined.pid, joined.host};
  }
  return true;
}

void TaskRoster::note(Gravity gravity, std::string text, Exit exit_status) {
  verdict_.note(gravity, std::move(text), std::chrono::steady_clock::now(), exit_status);
}

bool TaskRoster::all_joined() const {
  return std::ranges::all_of(tasks_, [](const TaskState& task) { return task.pid != 0; });
}

std::vector<long> TaskRoster::pids() const {
  std::vector<long> pids;
  for (const TaskState& task : tasks_) pids.push_back(task.pid);
  return pids;
}

std::string TaskRoster::describe(int rank) const {
  if (!is_rank(rank)) return "a task";
  const TaskState& task = tasks_[static_cast<std::size_t>(rank)];
  if (task.pid == 0) return fmt::format("rank {}", rank);
  return fmt::format("rank {} (pid {}, host {})", rank, task.pid, task.host);
}

std::vector<std::string> TaskRoster::reports() const {
  if (verdict_.failed()) verdict_.pronounce();
  return reports_;
}

}  // namespace nasvm
