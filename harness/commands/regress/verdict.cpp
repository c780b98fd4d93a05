#include "harness/commands/regress/verdict.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "harness/text.hpp"

namespace nasvm {

std::string_view to_text(Finding verdict) {
  static constexpr std::array<std::string_view, 4> names{"fine", "slower", "undecided", "failed"};
  return names[static_cast<std::size_t>(verdict)];
}

std::size_t Judgement::count(Finding wanted) const {
  return static_cast<std::size_t>(std::ranges::count(cases, wanted, &CaseVerdict::verdict));
}

std::string summary_of(const Judgement& judgement) {
  return fmt::format("{}: {} fine, {} slower, {} undecided, {} failed.", counted(judgement.cases.size(), "case"),
                     judgement.count(Finding::fine), judgement.count(Finding::slower),
                     judgement.count(Finding::undecided), judgement.count(Finding::failed));
}

Exit overall(const Judgement& judgement) {
  if (!judgement.broken.empty() || judgement.lacks_file) return Exit::broken;
  if (judgement.is_calibration && judgement.count(Finding::failed) == 0) {
    return judgement.count(Finding::fine) > 0 ? Exit::ok : Exit::undecided;
  }
  if (judgement.count(Finding::slower) + judgement.count(Finding::failed) > 0) return Exit::failed;
  return judgement.count(Finding::undecided) > 0 ? Exit::undecided : Exit::ok;
}

double Tolerances::of(const ComparedCase& one) const {
  const auto found = by_case.find({one.name, std::string(one.figure.name)});
  return found == by_case.end() ? usual : found->second;
}

std::vector<std::string> tolerance_notes(const Tolerances& tolerances, const std::vector<ComparedCase>& cases) {
  if (tolerances.by_case.empty()) return {};
  std::size_t all = 0;
  std::size_t without = 0;
  for (const ComparedCase& one : cases) {
    if (one.baseline.results == 0) continue;
    ++all;
    without += tolerances.by_case.contains({one.name, std::string(one.figure.name)}) ? 0 : 1;
  }
  if (without == 0) return {};
  if (without == all) {
    throw UsageError(
        "--tolerances: the file has none of the cases that are compared; --calibrate with the same cases");
  }
  return {fmt::format("Tolerances: none for {} of {}; {:g} % taken", without, counted(all, "case"),
                      100 * tolerances.usual)};
}

double cost_of(const FigureKind& figure, double value) { return figure.better == Better::lower ? value : 1 / value; }

CaseVerdict facts_of(const ComparedCase& one, const Tolerances& tolerances) {
  CaseVerdict verdict;
  verdict.name = one.name;
  verdict.figure = one.figure;
  verdict.tolerance = tolerances.of(one);
  verdict.baseline_samples = one.baseline.values.size();
  verdict.candidate_samples = one.candidate.values.size();
  if (one.baseline.wrong == 0 && !one.baseline.values.empty()) verdict.baseline = median(one.baseline.values);
  if (one.candidate.wrong == 0 && !one.candidate.values.empty()) verdict.candidate = median(one.candidate.values);
  verdict.reason = failure_of(one);
  if (!verdict.reason.empty()) verdict.verdict = Finding::failed;
  else if (one.baseline.wrong > 0) verdict.reason = "verification failed in the baseline";
  return verdict;
}

std::vector<std::string> notes_of(const std::vector<ComparedCase>& cases) {
  std::vector<std::string> notes;
  for (const ComparedCase& one : cases) {
    const std::string gain = gain_of(one);
    if (one.baseline.results == 0) notes.push_back(fmt::format("Not compared: {}: not in the baseline", one.name));
    else if (!gain.empty()) notes.push_back(fmt::format("{}: {}", one.name, gain));
  }
  notes.erase(std::ranges::unique(notes).begin(), notes.end());
  return notes;
}

}  // namespace nasvm
