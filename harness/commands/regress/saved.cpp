#include "harness/commands/regress/saved.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "harness/commands/regress/block_conditions.hpp"
#include "harness/text.hpp"

namespace nasvm {
namespace {

bool has_launches(std::span<const Source> side) {
  return side.size() > 1 || std::ranges::all_of(side, [](const Source& one) { return one.document.whole_launches; });
}

/// Of a side of several documents that are launches as a whole, each record counts all the same.
SampleIs sample_of(std::span<const Source> side) {
  const bool whole = std::ranges::all_of(side, [](const Source& one) { return one.document.whole_launches; });
  return side.size() == 1 || whole ? SampleIs::record : SampleIs::document;
}

std::string files_of(std::span<const Source> side) {
  std::vector<std::string> files;
  for (const Source& source : side) files.push_back(source.file);
  return joined(files);
}

/// What two documents both say, and not the same.
void note_difference(std::vector<std::string>& lines, std::string_view what, const std::string& before,
                     const std::string& now) {
  if (before.empty() || now.empty() || before == now) return;
  lines.push_back(fmt::format("{} {} instead of {}", what, now, before));
}

std::string known(std::uint64_t value) { return value == 0 ? "" : std::to_string(value); }

std::vector<std::string> host_differences(const HostRecord& before, const HostRecord& now) {
  std::vector<std::string> lines;
  note_difference(lines, "host", before.name, now.name);
  note_difference(lines, "processor", before.cpu, now.cpu);
  note_difference(lines, "cores", known(static_cast<std::uint64_t>(before.cores)),
                  known(static_cast<std::uint64_t>(now.cores)));
  note_difference(lines, "operating system", before.kernel, now.kernel);
  note_difference(lines, "hypervisor", before.hypervisor, now.hypervisor);
  note_difference(lines, "governor", before.governor, now.governor);
  note_difference(lines, "huge pages", before.huge_pages, now.huge_pages);
  return lines;
}

/// Between the first document and any other, of both sides.
std::string any_machine_difference(std::span<const Source> baseline, std::span<const Source> candidate) {
  const MachineRecord& first = baseline.front().document.machine;
  for (const auto side : {baseline, candidate}) {
    for (const Source& source : side) {
      const std::string difference = machine_difference(first, source.document.machine);
      if (!difference.empty()) return fmt::format("{} ({})", difference, source.file);
    }
  }
  return "";
}

/// Costs of both sides that were taken under the same conditions.
struct Costs {
  std::vector<double> baseline;
  std::vector<double> candidate;

  [[nodiscard]] std::size_t fewest() const { return std::min(baseline.size(), candidate.size()); }
};

std::vector<double> chosen_values(const CaseSide& side, const std::vector<bool>& chosen) {
  std::vector<double> values;
  for (std::size_t i = 0; i < side.values.size(); ++i) {
    if (chosen[i]) values.push_back(side.values[i]);
  }
  return values;
}

std::vector<double> costs_of(const FigureKind& figure, std::vector<double> values) {
  for (double& value : values) value = cost_of(figure, value);
  return values;
}

/// Which samples of both sides count.
std::vector<std::vector<bool>> chosen_of(const ComparedCase& one, bool forced) {
  if (forced) return {std::vector(one.baseline.values.size(), true), std::vector(one.candidate.values.size(), true)};
  return alike(std::array{SampledSide(one.baseline.sampled), SampledSide(one.candidate.sampled)});
}

/// The samples of one side, of all cases.
struct SeenSamples {
  std::vector<Sampled> all;
  std::vector<Sampled> chosen;

  /// One that an earlier case has, too, is the same: a run has records of several sizes.
  void add(const CaseSide& side, const std::vector<bool>& flags) {
    const std::size_t earlier = all.size();
    for (std::size_t i = 0; i < side.sampled.size(); ++i) {
      const Sampled& sample = side.sampled[i];
      const SampledSide others = SampledSide(all).first(earlier);
      if (sample.conditions && std::ranges::find(others, sample) != others.end()) continue;
      all.push_back(sample);
      if (flags[i]) chosen.push_back(sample);
    }
  }
};

/// Lines for people: the conditions of what counts, and how much does not. Of cases that both sides have.
std::vector<std::string> conditions_of(const std::vector<ComparedCase>& cases, bool forced) {
  SeenSamples before;
  SeenSamples now;
  for (const ComparedCase& one : cases) {
    if (one.candidate.results == 0) continue;
    const auto chosen = chosen_of(one, forced);
    before.add(one.baseline, chosen[0]);
    now.add(one.candidate, chosen[1]);
  }
  std::vector<std::string> lines = condition_lines_of(before.chosen, now.chosen);
  const std::size_t all = before.all.size() + now.all.size();
  const std::size_t apart = all - before.chosen.size() - now.chosen.size();
  if (apart > 0) {
    lines.push_back(fmt::format("{} of {} were not taken under the same conditions and {} not count.", apart,
                                counted(all, "sample"), apart == 1 ? "does" : "do"));
  }
  return lines;
}

/// Chance of such ranks where `larger` is `factor` times `smaller` at most.
double chance_of(std::span<const double> larger, std::span<const double> smaller, double factor) {
  std::size_t not_above = 0;
  for (const double a : larger) {
    for (const double b : smaller) not_above += a > factor * b ? 0 : 1;
  }
  return mann_whitney_probability(larger.size(), smaller.size(), not_above);
}

/// Samples on each side with which ranks can say something with that risk at all.
std::size_t samples_needed(double risk) {
  std::size_t samples = least_samples;
  while (mann_whitney_probability(samples, samples, 0) > risk) ++samples;
  return samples;
}

/// One case on its way.
struct Candidate {
  CaseVerdict verdict;
  Costs costs;
  bool judged = false;  ///< by times
};

std::string lack_of(const ComparedCase& one, const Costs& costs) {
  const auto usable = [](double cost) { return std::isfinite(cost) && cost > 0; };
  if (!std::ranges::all_of(costs.baseline, usable) || !std::ranges::all_of(costs.candidate, usable)) {
    return fmt::format("a {} is not a positive number", one.figure.name);
  }
  if (costs.fewest() >= least_samples) return "";
  if (std::min(one.baseline.values.size(), one.candidate.values.size()) >= least_samples) {
    return fmt::format("only {} and {} samples were taken under the same conditions, {} are needed",
                       costs.baseline.size(), costs.candidate.size(), least_samples);
  }
  return fmt::format("{} and {} samples, at least {} are needed", costs.baseline.size(), costs.candidate.size(),
                     least_samples);
}

double median_or_none(const std::vector<double>& values) { return values.empty() ? 0 : median(values); }

/// Medians and numbers of samples are those of what counts, as the ratio is; with wrong results, numbers of all.
Candidate candidate_of(const ComparedCase& one, const SavedRule& rule, const std::string& other_machine) {
  Candidate candidate{facts_of(one, rule.tolerances), {}};
  if (one.baseline.wrong + one.candidate.wrong > 0) return candidate;
  const auto chosen = chosen_of(one, rule.forced);
  std::vector<double> before = chosen_values(one.baseline, chosen[0]);
  std::vector<double> now = chosen_values(one.candidate, chosen[1]);
  candidate.verdict.baseline = median_or_none(before);
  candidate.verdict.candidate = median_or_none(now);
  candidate.verdict.baseline_samples = before.size();
  candidate.verdict.candidate_samples = now.size();
  if (!candidate.verdict.reason.empty()) return candidate;
  candidate.costs = {costs_of(one.figure, std::move(before)), costs_of(one.figure, std::move(now))};
  candidate.verdict.reason = other_machine.empty() ? lack_of(one, candidate.costs) : other_machine;
  candidate.judged = candidate.verdict.reason.empty();
  return candidate;
}

/// The first case that a side has, for errors; results of others alone make none.
std::string first_name(const std::vector<ComparedCase>& cases, CaseSide ComparedCase::*side) {
  const auto found = std::ranges::find_if(cases, [side](const ComparedCase& one) { return (one.*side).results > 0; });
  return found == cases.end() ? "none" : fmt::format("\"{}\"", found->name);
}

/// What launches add to a tolerance.
double with_launches(double tolerance, bool launches) { return (1 + tolerance) * (launches ? 1 : one_launch_factor); }

/// For the first case that Holm's procedure rejects, and for each.
EndRisks interval_of(const std::vector<Candidate>& candidates, const SavedRule& rule) {
  return {rule.risks.alarm / static_cast<double>(candidates.size()), rule.risks.pass};
}

void judge(std::vector<Candidate>& candidates, const SavedRule& rule, bool launches) {
  std::vector<double> chances;
  for (const Candidate& one : candidates) {
    const double bound = with_launches(one.verdict.tolerance, launches);
    chances.push_back(one.judged ? chance_of(one.costs.candidate, one.costs.baseline, bound) : 1);
  }
  const std::vector<bool> slower = holm(chances, rule.risks.alarm);
  const auto [strictest, pass] = interval_of(candidates, rule);
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    auto& [verdict, costs, judged] = candidates[i];
    if (!judged) continue;
    verdict.ratio = ratio_by_ranks(costs.candidate, costs.baseline, strictest, pass);
    if (slower[i]) {
      verdict.verdict = Finding::slower;
    } else if (chance_of(costs.baseline, costs.candidate, 1 / (1 + verdict.tolerance)) <= pass) {
      verdict.verdict = Finding::fine;
    } else if (!launches && verdict.ratio.low > 1 + verdict.tolerance) {
      verdict.reason = "slower, but launches of one build may differ by that: take several";
    } else if (costs.fewest() < samples_needed(strictest)) {
      verdict.reason =
          fmt::format("too noisy for so few samples; among {} at least {} are needed to find anything slower",
                      counted(candidates.size(), "case"), samples_needed(strictest));
    } else {
      verdict.reason = "too noisy for so few samples";
    }
  }
}

/// Takes out a figure that the new results do not have at all, of cases that they have; returns a line for each.
/// Documents of others need not have every figure.
std::vector<std::string> take_out_unknown(std::vector<ComparedCase>& cases) {
  std::set<std::string> said;
  std::set<std::string> figures;
  for (const ComparedCase& one : cases) {
    if (one.candidate.results == 0) continue;
    said.insert(one.name);
    figures.insert(std::string(one.figure.name));
  }
  std::vector<std::string> lines;
  std::erase_if(cases, [&](const ComparedCase& one) {
    if (figures.contains(std::string(one.figure.name)) || !said.contains(one.name)) return false;
    lines.push_back(fmt::format("Not compared: {}: the new results do not say its {}", one.name, one.figure.name));
    return true;
  });
  return lines;
}

std::vector<std::string> rule_of(const SavedRule& rule, bool launches, std::size_t cases) {
  std::vector<std::string> lines{fmt::format(
      "Slower: worse by more than the tolerance, by ranks; the risk of any false alarm among the {} is {:g} "
      "% (Holm). Fine: worse by less than the tolerance, {:g} % for each.",
      counted(cases, "case"), 100 * rule.risks.alarm, 100 * rule.risks.pass)};
  lines.push_back(launches
                      ? "A sample is a whole launch. Launches were not taken in turns, and nothing was run again "
                        "to confirm."
                      : fmt::format("A sample is a repeat inside one launch, and launches of one build differ, too: "
                                    "slower takes {:g} % on top for that, fine leaves it out. Surer: "
                                    "--baseline-build, or several documents.",
                                    100 * (one_launch_factor - 1)));
  if (rule.forced) lines.emplace_back("Machines and conditions were not looked at (--force).");
  return lines;
}

}  // namespace

std::string machine_difference(const MachineRecord& before, const MachineRecord& now) {
  if (before.hosts.empty() || now.hosts.empty()) return "";
  if (before.hosts.size() != now.hosts.size()) {
    return fmt::format("{} instead of {}", counted(now.hosts.size(), "host"), before.hosts.size());
  }
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < before.hosts.size() && lines.empty(); ++i) {
    lines = host_differences(before.hosts[i], now.hosts[i]);
  }
  return joined(lines);
}

Judgement judge_saved(std::span<const Source> baseline, std::span<const Source> candidate, const SavedRule& rule,
                      std::span<const CommandRow> commands) {
  const bool launches = has_launches(baseline) && has_launches(candidate);
  std::vector<ComparedCase> cases = cases_of(baseline, SampleIs::record, candidate, SampleIs::record, commands);
  if (launches) cases = cases_of(baseline, sample_of(baseline), candidate, sample_of(candidate), commands);
  Judgement judgement{files_of(baseline), files_of(candidate), {}, notes_of(cases), {}};
  const auto is_common = [](const ComparedCase& one) {
    return one.baseline.results > 0 && one.candidate.results > 0;
  };
  if (std::ranges::none_of(cases, is_common)) {
    throw UsageError(fmt::format("{} and {} have no case in common; their first ones are {} and {}",
                                 judgement.baseline, judgement.candidate, first_name(cases, &ComparedCase::baseline),
                                 first_name(cases, &ComparedCase::candidate)));
  }
  for (std::string& line : take_out_unknown(cases)) judgement.notes.push_back(std::move(line));
  std::erase_if(cases, [](const ComparedCase& one) { return one.baseline.results == 0; });
  for (std::string& line : tolerance_notes(rule.tolerances, cases)) judgement.notes.push_back(std::move(line));
  std::string other_machine = rule.forced ? "" : any_machine_difference(baseline, candidate);
  if (!other_machine.empty()) other_machine = "another machine: " + other_machine;
  std::vector<Candidate> candidates;
  candidates.reserve(cases.size());
  for (const ComparedCase& one : cases) candidates.push_back(candidate_of(one, rule, other_machine));
  judge(candidates, rule, launches);
  for (Candidate& one : candidates) judgement.cases.push_back(std::move(one.verdict));
  judgement.interval = interval_of(candidates, rule);
  judgement.rule = rule_of(rule, launches, cases.size());
  judgement.conditions = conditions_of(cases, rule.forced);
  return judgement;
}

}  // namespace nasvm
