#include "harness/commands/regress/regress.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "harness/cli/values.hpp"
#include "harness/conditions/conditions.hpp"
#include "harness/kernel_runs/run_cases.hpp"
#include "harness/report/heading.hpp"
#include "harness/report/numbers.hpp"
#include "harness/text.hpp"

namespace nasvm {
namespace {

constexpr std::size_t least_runs = 5;

/// The same case in both documents.
struct Match {
  std::string name;
  const Case* baseline = nullptr;
  const Case* candidate = nullptr;
};

std::vector<Match> matches(const std::vector<Group>& groups) {
  std::vector<Match> all;
  for (const Group& group : groups) {
    for (const Case& one : group.cases) {
      const Case* other = one.source == 0 ? group.find(1, one.transport) : nullptr;
      if (other != nullptr) all.push_back({fmt::format("{}, {}", name_of(group), one.transport), &one, other});
    }
  }
  return all;
}

std::string lack_of_runs(const std::vector<double>& baseline, const std::vector<double>& candidate) {
  const auto usable = [](double time) { return std::isfinite(time) && time > 0; };
  if (!std::all_of(baseline.begin(), baseline.end(), usable) ||
      !std::all_of(candidate.begin(), candidate.end(), usable)) {
    return "a time is not a positive number";
  }
  if (std::min(baseline.size(), candidate.size()) >= least_runs) return "";
  return fmt::format("{} and {} runs, at least {} are needed", baseline.size(), candidate.size(), least_runs);
}

/// The times of both sides that were measured under the same conditions; without them, all. `differ` says whether
/// that left too few.
struct Times {
  std::vector<double> baseline;
  std::vector<double> candidate;
  bool differ = false;
};

std::vector<double> chosen_times(const Case& one, const std::vector<bool>& chosen) {
  const std::vector<double> all = one.all(&RunRecord::time_s);
  std::vector<double> times;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (chosen[i]) times.push_back(all[i]);
  }
  return times;
}

std::vector<Sampled> samples_of(const Case& one) {
  std::vector<Sampled> samples;
  for (const RunRecord* run : one.records) samples.push_back(run->sampled);
  return samples;
}

Times times_of(const Match& match) {
  const std::vector<Sampled> baseline = samples_of(*match.baseline);
  const std::vector<Sampled> candidate = samples_of(*match.candidate);
  const auto chosen = alike(std::array{SampledSide(baseline), SampledSide(candidate)});
  Times times{chosen_times(*match.baseline, chosen[0]), chosen_times(*match.candidate, chosen[1])};
  const bool enough = std::min(baseline.size(), candidate.size()) >= least_runs;
  times.differ = enough && std::min(times.baseline.size(), times.candidate.size()) < least_runs;
  return times;
}

CaseVerdict judge_match(const Match& match, const RegressOptions& options, std::size_t cases) {
  CaseVerdict verdict;
  if (match.candidate->failed() > 0) {
    verdict.verdict = Verdict::failed;
    verdict.reason = "verification failed";
  } else if (match.baseline->failed() > 0) {
    verdict.reason = "verification failed in the baseline";
  } else {
    const Times times = times_of(match);
    verdict = judge(times.baseline, times.candidate, options, cases);
    if (times.differ) {
      verdict.reason = fmt::format("only {} and {} runs were measured under the same conditions, {} are needed",
                                   times.baseline.size(), times.candidate.size(), least_runs);
    }
  }
  verdict.name = match.name;
  return verdict;
}

std::string verdict_text(const CaseVerdict& verdict) {
  const auto with_reason = [&](std::string text) {
    return verdict.reason.empty() ? text : text + ": " + verdict.reason;
  };
  switch (verdict.verdict) {
    case Verdict::fine:
      return "fine";
    case Verdict::slower:
      return "SLOWER";
    case Verdict::failed:
      return with_reason("FAILED");
    case Verdict::undecided:
      break;
  }
  return with_reason("undecided");
}

std::string interval_text(const Interval& ratio) {
  const std::string high = std::isfinite(ratio.high) ? fmt::format("{:.3f}", ratio.high) : "?";
  return ratio.low > 0 ? fmt::format("{:.3f}-{}", ratio.low, high) : "?-" + high;
}

std::string case_line(const CaseVerdict& verdict, std::size_t width) {
  const bool measured = verdict.ratio.estimate > 0;
  return fmt::format("{:<{}}  {:>9}  {:>9}  {:>6}  {:>13}  {}\n", verdict.name, width,
                     measured ? number_text(verdict.baseline_s) : "-",
                     measured ? number_text(verdict.candidate_s) : "-",
                     measured ? fmt::format("{:.3f}", verdict.ratio.estimate) : "-",
                     measured ? interval_text(verdict.ratio) : "-", verdict_text(verdict));
}

std::string table(const std::vector<CaseVerdict>& verdicts) {
  std::size_t width = 4;
  for (const CaseVerdict& verdict : verdicts) width = std::max(width, verdict.name.size());
  std::string text = fmt::format("{:<{}}  {:>9}  {:>9}  {:>6}  {:>13}  {}\n", "Case", width, "Base (s)", "New (s)",
                                 "Ratio", "Interval", "Verdict");
  text += std::string(text.size() - 1, '-') + "\n";
  for (const CaseVerdict& verdict : verdicts) text += case_line(verdict, width);
  return text;
}

std::size_t count(const std::vector<CaseVerdict>& verdicts, Verdict wanted) {
  return static_cast<std::size_t>(std::count_if(
      verdicts.begin(), verdicts.end(), [&](const CaseVerdict& verdict) { return verdict.verdict == wanted; }));
}

std::string conclusion(const std::vector<CaseVerdict>& verdicts, const RegressOptions& options) {
  return fmt::format(
      "Base, new: medians. Ratio: the median of all quotients of a new and a base time, with its interval.\n"
      "{}: {} fine, {} slower, {} undecided, {} failed (slower: by {:g} % or more, with {:g} % "
      "confidence).\n",
      counted(verdicts.size(), "case"), count(verdicts, Verdict::fine), count(verdicts, Verdict::slower),
      count(verdicts, Verdict::undecided), count(verdicts, Verdict::failed), 100 * options.threshold,
      100 * options.confidence);
}

/// A line for each case that only one of the documents has.
std::string unmatched(const std::vector<Group>& groups, const RegressOptions& options) {
  std::string text;
  for (const Group& group : groups) {
    for (const Case& one : group.cases) {
      if (group.find(1 - one.source, one.transport) != nullptr) continue;
      text += fmt::format("Not compared: {}, {}: not in {}\n", name_of(group), one.transport,
                          one.source == 0 ? options.candidate : options.baseline);
    }
  }
  return text;
}

/// Documents of nasvm p2p, for instance, have none.
void check_runs(const Document& document, const std::string& path) {
  if (document.records<RunRecord>().empty()) {
    throw UsageError(fmt::format("{}: has no runs of kernels; expected a result document of nasvm run", path));
  }
}

std::vector<Source> sources_of(const Document& baseline, const Document& candidate, const RegressOptions& options) {
  return {{options.baseline, baseline}, {options.candidate, candidate}};
}

}  // namespace

CaseVerdict judge(std::vector<double> baseline, std::vector<double> candidate, const RegressOptions& options,
                  std::size_t cases) {
  CaseVerdict verdict;
  verdict.reason = lack_of_runs(baseline, candidate);
  if (!verdict.reason.empty()) return verdict;
  const double risk = 1 - options.confidence;
  verdict.baseline_s = median(baseline);
  verdict.candidate_s = median(candidate);
  verdict.ratio = ratio_by_ranks(candidate, baseline, risk / static_cast<double>(cases), risk);
  if (verdict.ratio.low > 1 && verdict.ratio.estimate >= 1 + options.threshold) {
    verdict.verdict = Verdict::slower;
  } else if (verdict.ratio.high < 1 + options.threshold) {
    verdict.verdict = Verdict::fine;
  } else {
    verdict.reason = "too noisy for so few runs";
  }
  return verdict;
}

std::vector<CaseVerdict> judge_all(const Document& baseline, const Document& candidate,
                                   const RegressOptions& options) {
  check_runs(baseline, options.baseline);
  check_runs(candidate, options.candidate);
  const std::vector<Source> sources = sources_of(baseline, candidate, options);
  const std::vector<Group> groups = group_runs(sources);
  const std::vector<Match> all = matches(groups);
  if (all.empty()) {
    throw UsageError(
        fmt::format("{} and {} have no case in common (same kernel, class, np, threads, variant and "
                    "transport)",
                    options.baseline, options.candidate));
  }
  std::vector<CaseVerdict> verdicts;
  for (const Match& match : all) verdicts.push_back(judge_match(match, options, all.size()));
  return verdicts;
}

Exit overall(const std::vector<CaseVerdict>& verdicts) {
  if (count(verdicts, Verdict::slower) + count(verdicts, Verdict::failed) > 0) return Exit::failed;
  return count(verdicts, Verdict::undecided) > 0 ? Exit::undecided : Exit::ok;
}

namespace {

class Regress final : public Command {
 public:
  void add_options(CommandLine& line, const Tables&) override {
    line.option({"--baseline", "FILE", "result document to hold against"}, options_.baseline, Presence::required);
    line.option({"NEW", "", "result document to judge"}, options_.candidate, Presence::required);
    add_percent(line, {"--threshold", "PERCENT", "slowing down that matters"}, options_.threshold, 0, 1000);
    add_percent(line, {"--confidence", "PERCENT", "confidence asked for"}, options_.confidence, 50, 99.999);
    line.footer(
        "Both files need at least 5 runs of each case (nasvm run --runs 5).\n\n"
        "Example:\n  nasvm regress --baseline main.json branch.json");
  }

  Exit run(const Call& call) override {
    const std::vector<RecordType> types = record_types(call.tables.commands);
    const Document baseline = read_document(options_.baseline, types);
    const Document candidate = read_document(options_.candidate, types);
    const std::vector<CaseVerdict> verdicts = judge_all(baseline, candidate, options_);
    const std::vector<Source> sources = sources_of(baseline, candidate, options_);
    call.console.out(table(verdicts) + unmatched(group_runs(sources), options_) + conclusion(verdicts, options_));
    return overall(verdicts);
  }

 private:
  static void add_percent(CommandLine& line, const OptionText& text, double& value, double least, double most) {
    add_parsed(line, text, fmt::format("{:g}", 100 * value),
               [&value, name = text.first_name(), least, most](const std::string& typed) {
                 value = parse_real(name, typed, least, most) / 100;
               });
  }

  RegressOptions options_;
};

}  // namespace

CommandRow regress_command() {
  return {"regress", "exit 1 when something really got slower, 4 when undecided",
          [] { return std::make_unique<Regress>(); }};
}

}  // namespace nasvm
