#include "harness/commands/regress/builds.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "harness/kernel_runs/run_cases.hpp"
#include "harness/session/progress.hpp"
#include "harness/text.hpp"
#include "vm/launch/machine.hpp"
#include "vm/status.hpp"

namespace nasvm {
namespace {

/// A tolerance leaves room for noise that is worse next time, and is rounded up to a tenth of a per cent.
constexpr double room_for_noise = 1.25;

double tolerance_of(const Interval& ratio, double least) {
  const double farthest = std::max(ratio.high, 1 / ratio.low) - 1;
  return std::max(least, std::ceil(1000 * room_for_noise * farthest) / 1000);
}

/// Of the cases, not of the launches that asked for facts, which warmed the machine up.
void forget_samples(std::vector<ComparedCase>& cases) {
  for (ComparedCase& one : cases) {
    for (CaseSide* side : {&one.baseline, &one.candidate}) {
      side->values.clear();
      side->sampled.clear();
    }
  }
}

/// The conditions of what a block has added to one side of a case.
SampledSide sampled_from(const CaseSide& side, std::size_t first) { return SampledSide(side.sampled).subspan(first); }

void drop_samples_from(CaseSide& side, std::size_t first) {
  side.values.resize(first);
  side.sampled.resize(first);
}

/// Samples of one side that the last launch has added to a case; it has to have one.
double last_cost(const ComparedCase& one, const CaseSide& side, std::size_t before) {
  if (side.values.size() == before + 1) return cost_of(one.figure, side.values.back());
  throw RunError(fmt::format("{}: a launch gave no result of it, another one did", one.name));
}

/// Two digits are left.
double rounded_up(double value) {
  const double step = std::pow(10, std::max(0.0, std::floor(std::log10(value)) - 1));
  return step * std::ceil(value / step);
}

/// Of a build held against itself: 480 launches tell its noise well enough.
constexpr std::size_t calibration_blocks = 120;

/// What the ratio is made of, so that they do not contradict it.
constexpr std::string_view medians_of_blocks = "medians of the better launch of each in every block";

std::string looks_text() { return fmt::format("{}", fmt::join(looks(), ", ")); }

/// So that a call can be repeated.
std::string coin_text(std::uint64_t seed) { return fmt::format("the toss of a coin (--seed {})", seed); }

std::vector<std::string> rule_of(const Risks& risks, std::uint64_t seed, std::size_t cases) {
  return {
      fmt::format("A sample is a whole launch. Launches of both took turns in blocks of four, A B B A or B A A B by "
                  "{}, and the better one of either counts; looks after {} blocks.",
                  coin_text(seed), looks_text()),
      fmt::format("Slower: worse by more than the tolerance, by signed ranks, and worse at all by later blocks "
                  "alone ({:g} %); the risk of any false alarm among the {} and all looks is {:g} % at most (Holm). "
                  "Fine: worse by less than the tolerance, {:g} % for each.",
                  100 * risks.confirm, counted(cases, "case"), 100 * risks.alarm, 100 * risks.pass)};
}

std::string build_name(const std::string& program, const Document& document) {
  return document.build.version.empty()
             ? program
             : fmt::format("{} ({}, {})", program, document.build.version, document.build.commit);
}

/// Has each case one result? Repeats within a launch are no launches.
bool has_one_of_each(const Document& document, std::span<const CommandRow> commands) {
  const View* view = view_of(document, commands);
  if (view == nullptr || view->compared == nullptr) return true;
  std::set<std::pair<std::string, std::string_view>> seen;
  return std::ranges::all_of(view->compared(document), [&](const Compared& result) {
    return seen.emplace(result.name, result.figure.name).second;
  });
}

}  // namespace

Builds::Builds(const BuildsOptions& options, const BuildLauncher& launch, std::span<const CommandRow> commands,
               const Console& console)
    : options_(options),
      launch_(launch),
      commands_(commands),
      console_(console),
      types_(record_types(commands)),
      coin_(options.seed) {}

Document Builds::launch(Side side, const std::vector<std::string>& command) {
  const bool is_old = side == Side::baseline;
  const std::string& program = is_old ? options_.baseline : options_.candidate;
  Source source{program, launch_document(launch_, program, command, options_.timeout, types_)};
  add_results(cases_, is_old ? &ComparedCase::baseline : &ComparedCase::candidate, source, SampleIs::document,
              commands_);
  return std::move(source.document);
}

void Builds::look_at_facts() {
  Document before = launch(Side::baseline, options_.command.whole);
  if (options_.check_machine) options_.check_machine(before.machine);
  Document now = launch(Side::candidate, options_.command.whole);
  make_parts(now);
  if (std::ranges::any_of(cases_, facts_differ)) {
    for (const Side side : {Side::candidate, Side::baseline, Side::baseline, Side::candidate}) {
      launch(side, options_.command.whole);
    }
  }
  forget_samples(cases_);
  changed_.assign(cases_.size(), {});
  better_.assign(cases_.size(), {});
  // Who, where and with what; the records are those of the timed launches.
  const auto envelope = [](const Document& document) {
    Document empty;
    empty.created = document.created;
    empty.command = document.command;
    empty.machine = document.machine;
    empty.build = document.build;
    empty.whole_launches = true;
    return empty;
  };
  documents_ = {envelope(before), envelope(now)};
}

bool Builds::look_at_facts_or_break() {
  try {
    look_at_facts();
  } catch (const RunError& error) {
    broken_ = error.what();
  }
  return broken_.empty();
}

/// Of runs, one for each case; compared_runs keeps the order of the records.
void Builds::make_parts(const Document& document) {
  std::vector<std::size_t> all(cases_.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
  std::erase_if(all,
                [&](std::size_t i) { return cases_[i].baseline.results == 0 || cases_[i].candidate.results == 0; });
  if (!options_.command.of_each_run) {
    parts_ = {{options_.command.whole, all}};
    return;
  }
  const std::vector<Compared> compared = compared_runs(document);
  for (const std::size_t position : all) {
    const auto found = std::ranges::find(compared, cases_[position].name, &Compared::name);
    const RunRecord& run = document.records<RunRecord>()[static_cast<std::size_t>(found - compared.begin())];
    Part part{{"run", run.kernel, "--class", std::string(1, run.problem_class), "--np", std::to_string(run.np),
               "--transport", run.transport},
              {position}};
    if (std::ranges::find(options_.command.whole, "--variant") != options_.command.whole.end()) {
      part.command.insert(part.command.end(), {"--variant", run.variant});
    }
    const auto& more = *options_.command.of_each_run;
    part.command.insert(part.command.end(), more.begin(), more.end());
    parts_.push_back(std::move(part));
  }
}

void Builds::start_clock() {
  deadline_ = console_.now() + std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                                   std::chrono::duration<double>(options_.budget_s));
}

void Builds::add_block(Part& part, std::size_t wanted, SequentialTest& test) {
  std::vector<std::pair<std::size_t, std::size_t>> first;
  first.reserve(part.cases.size());
  for (const std::size_t position : part.cases) {
    first.emplace_back(cases_[position].baseline.values.size(), cases_[position].candidate.values.size());
  }
  const auto start = console_.now();
  const bool old_outside = (coin_() & 1) == 0;
  const Side outer = old_outside ? Side::baseline : Side::candidate;
  const Side inner = old_outside ? Side::candidate : Side::baseline;
  // Of either build the better launch of each case.
  constexpr double none = std::numeric_limits<double>::infinity();
  std::vector<double> best_old(part.cases.size(), none);
  std::vector<double> best_new(part.cases.size(), none);
  const auto take_back = [&](std::size_t i) {
    drop_samples_from(cases_[part.cases[i]].baseline, first[i].first);
    drop_samples_from(cases_[part.cases[i]].candidate, first[i].second);
  };
  for (const Side side : {outer, inner, inner, outer}) {
    const auto member = side == Side::baseline ? &ComparedCase::baseline : &ComparedCase::candidate;
    std::vector<std::size_t> before;
    before.reserve(part.cases.size());
    for (const std::size_t position : part.cases) before.push_back((cases_[position].*member).values.size());
    try {
      const Document launched = launch(side, part.command);
      cases_.resize(changed_.size());  // what no launch before had is no case
      Document& all = side == Side::baseline ? documents_.baseline : documents_.candidate;
      all.whole_launches = all.whole_launches && has_one_of_each(launched, commands_);
      all.append(launched);
      for (std::size_t i = 0; i < part.cases.size(); ++i) {
        const ComparedCase& one = cases_[part.cases[i]];
        double& best = (side == Side::baseline ? best_old : best_new)[i];
        best = std::min(best, last_cost(one, one.*member, before[i]));
      }
    } catch (const Error&) {  // half a block is no sample
      for (std::size_t i = 0; i < part.cases.size(); ++i) take_back(i);
      throw;
    }
  }
  part.spent_s += std::chrono::duration<double>(console_.now() - start).count();
  for (std::size_t i = 0; i < part.cases.size(); ++i) {
    ComparedCase& one = cases_[part.cases[i]];
    const auto [first_old, first_new] = first[i];
    const double log_ratio = std::log(best_new[i] / best_old[i]);
    const bool usable = std::isfinite(log_ratio) && one.baseline.wrong + one.candidate.wrong == 0;
    if (!usable) {
      test.drop(part.cases[i]);
    } else if (test.trials()[part.cases[i]].is_open() &&
               is_set_apart(sampled_from(one.baseline, first_old), sampled_from(one.candidate, first_new), wanted,
                            changed_[part.cases[i]])) {
      take_back(i);
    } else if (test.trials()[part.cases[i]].is_open()) {
      test.add(part.cases[i], log_ratio);
      better_[part.cases[i]].baseline.push_back(cost_of(one.figure, best_old[i]));
      better_[part.cases[i]].candidate.push_back(cost_of(one.figure, best_new[i]));
    }
  }
}

void Builds::add_blocks(SequentialTest& test, std::size_t blocks) {
  const auto wants = [&](const Part& part) {
    return std::ranges::any_of(part.cases, [&](std::size_t position) {
      const Trial& trial = test.trials()[position];
      return trial.is_open() && trial.blocks.size() < blocks;
    });
  };
  Progress progress(console_);
  std::vector<std::string> steps;
  std::size_t round = 0;
  while (!is_over() && std::ranges::any_of(parts_, wants)) {
    ++round;
    for (Part& part : parts_) {
      if (is_over() || !wants(part)) continue;
      const std::string& name = cases_[part.cases.front()].name;
      steps.push_back(fmt::format("{} (block {} before the next look)", name, round));
      // How many there will be nobody knows: a line that stays would say something wrong.
      if (console_.err_is_terminal) progress.show(steps, steps.size() - 1);
      add_block(part, blocks, test);
    }
  }
}

void Builds::add_blocks_or_break(SequentialTest& test, std::size_t blocks) {
  try {
    add_blocks(test, blocks);
  } catch (const Interrupted&) {
    throw;  // nobody waits for a judgement
  } catch (const Error& error) {
    broken_ = error.what();
  }
}

std::string Builds::broken_note() const {
  return fmt::format("A launch failed, and nothing was timed after it: {}", broken_);
}

std::vector<CaseVerdict> Builds::facts() const {
  std::vector<CaseVerdict> verdicts;
  verdicts.reserve(cases_.size());
  for (std::size_t i = 0; i < cases_.size(); ++i) {
    CaseVerdict& verdict = verdicts.emplace_back(facts_of(cases_[i], options_.tolerances));
    const auto& [before, now] = better_[i];
    if (verdict.baseline > 0 && !before.empty()) verdict.baseline = median(before);
    if (verdict.candidate > 0 && !now.empty()) verdict.candidate = median(now);
  }
  return verdicts;
}

Judgement Builds::begin_judgement() const {
  return {build_name(options_.baseline, documents_.baseline), build_name(options_.candidate, documents_.candidate),
          facts(), notes_of(cases_)};
}

Judgement Builds::broken_judgement() const {
  Judgement judgement{build_name(options_.baseline, documents_.baseline),
                      build_name(options_.candidate, documents_.candidate),
                      {},
                      {broken_note()}};
  judgement.broken = broken_;
  return judgement;
}

/// What the baseline has not is no case.
SequentialTest Builds::begin_test() const {
  std::vector<double> tolerances;
  tolerances.reserve(cases_.size());
  for (const ComparedCase& one : cases_) tolerances.push_back(options_.tolerances.of(one));
  SequentialTest test(tolerances, options_.risks);
  for (std::size_t i = 0; i < cases_.size(); ++i) {
    const bool measured = std::ranges::any_of(
        parts_, [i](const Part& part) { return std::ranges::find(part.cases, i) != part.cases.end(); });
    if (!measured || cases_[i].baseline.wrong > 0) test.drop(i);
  }
  return test;
}

/// Of all cases together.
std::vector<std::string> Builds::conditions(const SequentialTest& test) const {
  std::vector<Sampled> before;
  std::vector<Sampled> now;
  for (const ComparedCase& one : cases_) {
    before.insert(before.end(), one.baseline.sampled.begin(), one.baseline.sampled.end());
    now.insert(now.end(), one.candidate.sampled.begin(), one.candidate.sampled.end());
  }
  std::vector<std::string> lines = condition_lines_of(before, now);
  ChangedBlocks changed;
  std::size_t blocks = 0;
  for (const Part& part : parts_) {
    // Its cases share the blocks; the one that was open longest has seen them all.
    const auto seen = [&](std::size_t i) { return changed_[i].again + test.trials()[i].blocks.size(); };
    const auto longest = std::ranges::max_element(part.cases, {}, seen);
    if (longest == part.cases.end()) continue;
    changed.again += changed_[*longest].again;
    changed.counted += changed_[*longest].counted;
    blocks += test.trials()[*longest].blocks.size();
  }
  if (const std::string line = text_of(changed, blocks); !line.empty()) lines.push_back(line);
  return lines;
}

void Builds::judge(std::size_t position, const SequentialTest& test, CaseVerdict& verdict) const {
  if (!verdict.reason.empty()) return;
  const Trial& trial = test.trials()[position];
  if (trial.blocks.empty()) {
    if (trial.standing == Standing::dropped) {
      verdict.reason = fmt::format("a {} is not a positive number", verdict.figure.name);
    } else {
      verdict.reason = fmt::format("{} before it could be timed{}", ending(),
                                   changed_[position].again > 0 ? " under steady conditions" : "");
    }
    return;
  }
  verdict.ratio = test.ratio(position);
  switch (trial.standing) {
    case Standing::fine:
      verdict.verdict = Finding::fine;
      break;
    case Standing::slower:
      verdict.verdict = Finding::slower;
      break;
    case Standing::suspected:
      verdict.reason = test.done() ? "seemed slower, but later blocks did not confirm it"
                                   : fmt::format("seems slower, but {} before that was confirmed", ending());
      break;
    case Standing::open:
    case Standing::undecided:
      verdict.reason = lack_of(trial, verdict.ratio, test);
      break;
    case Standing::dropped:
      verdict.reason = fmt::format("a {} is not a positive number", verdict.figure.name);
      break;
  }
}

std::string Builds::lack_of(const Trial& trial, const Interval& ratio, const SequentialTest& test) const {
  const std::size_t blocks = trial.blocks.size();
  if (!broken_.empty() && blocks < looks().back()) return "a launch failed before it was decided";
  if (std::isfinite(ratio.high)) {
    return fmt::format("too noisy for {}; a tolerance of {:.0f} % would pass it", counted(blocks, "block"),
                       std::ceil(100 * (ratio.high - 1)));
  }
  const double budget_s = budget_for(test.least_blocks(), test);
  return fmt::format("{} of the {} blocks that are the least; a {} has room for them", blocks, test.least_blocks(),
                     budget_s > 0 ? fmt::format("--budget of about {:.0f} s", rounded_up(budget_s))
                                  : std::string("longer --budget"));
}

bool Builds::is_left(const Trial& trial) { return trial.is_open() || trial.standing == Standing::undecided; }

double Builds::budget_for(std::size_t blocks, const SequentialTest& test) const {
  // Parts take blocks in turns: those that are left get as many as the neediest.
  double budget_s = 0;
  for (const Part& part : parts_) {
    double times = 1;
    for (const std::size_t position : part.cases) {
      const Trial& trial = test.trials()[position];
      if (!is_left(trial)) continue;
      if (trial.blocks.empty()) return 0;
      times = std::max(times, static_cast<double>(blocks) / static_cast<double>(trial.blocks.size()));
    }
    budget_s += times * part.spent_s;
  }
  return budget_s;
}

std::string Builds::advice(const SequentialTest& test) const {
  std::size_t needed = 0;
  for (std::size_t i = 0; i < cases_.size(); ++i) {
    if (!is_left(test.trials()[i])) continue;
    const auto own = test.blocks_needed(i);
    if (!own) return "";
    needed = std::max(needed, *own);
  }
  if (needed == 0) return "";
  return fmt::format("At this noise a --budget of {:.0f} would mostly be enough for builds that do not differ.",
                     rounded_up(budget_for(needed, test)));
}

Judgement Builds::compare() {
  if (!look_at_facts_or_break()) return broken_judgement();
  SequentialTest test = begin_test();
  const auto broken = [](const ComparedCase& one) { return !failure_of(one).empty(); };
  const bool failed = std::ranges::any_of(cases_, broken);
  std::vector<std::string> notes;
  if (!failed) {
    notes = tolerance_notes(options_.tolerances, cases_);
    start_clock();
    while (!test.done()) {
      add_blocks_or_break(test, test.blocks_wanted());
      test.look();
      if (is_over() || !broken_.empty()) break;
    }
    if (!broken_.empty()) notes.push_back(broken_note());
  }
  Judgement judgement = begin_judgement();
  for (std::size_t i = 0; i < cases_.size(); ++i) {
    CaseVerdict& verdict = judgement.cases[i];
    if (failed && verdict.reason.empty()) verdict.reason = "not timed, since other cases have failed";
    else judge(i, test, verdict);
  }
  for (std::size_t i = cases_.size(); i-- > 0;) {
    if (cases_[i].baseline.results == 0)
      judgement.cases.erase(judgement.cases.begin() + static_cast<std::ptrdiff_t>(i));
  }
  if (failed) {
    judgement.rule = {"No time was looked at: what does not depend on the machine has failed before."};
  } else {
    judgement.rule = rule_of(options_.risks, options_.seed, judgement.cases.size());
    judgement.middles = medians_of_blocks;
    // Of all looks together: at which of them it has stopped was their doing.
    judgement.interval = {options_.risks.alarm / static_cast<double>(test.trials().size()), options_.risks.pass};
  }
  judgement.conditions = conditions(test);
  if (!broken_.empty()) judgement.broken = broken_;
  else if (std::string line = advice(test); !line.empty()) notes.push_back(std::move(line));
  std::ranges::move(notes, std::back_inserter(judgement.notes));
  return judgement;
}

Judgement Builds::calibrate(double least) {
  if (!look_at_facts_or_break()) return broken_judgement();
  SequentialTest test = begin_test();
  start_clock();
  add_blocks_or_break(test, calibration_blocks);
  Judgement judgement = begin_judgement();
  judgement.rule = {
      fmt::format("A build held against itself: its launches took turns in blocks of four, by {}. Tolerance: "
                  "{:g} times the interval's far end, {:g} % at least.",
                  coin_text(options_.seed), room_for_noise, 100 * least)};
  judgement.middles = medians_of_blocks;
  judgement.interval = {test.low_risk(), test.high_risk()};
  for (std::size_t i = 0; i < cases_.size(); ++i) {
    CaseVerdict& verdict = judgement.cases[i];
    if (!verdict.reason.empty()) continue;  // of facts, whatever the times are
    judge(i, test, verdict);
    if (verdict.ratio.low <= 0 || !std::isfinite(verdict.ratio.high)) {
      if (!test.trials()[i].blocks.empty() && test.trials()[i].standing != Standing::dropped) {
        verdict.reason =
            fmt::format("{} {} too few to tell its noise; {}", counted(test.trials()[i].blocks.size(), "block"),
                        test.trials()[i].blocks.size() == 1 ? "is" : "are",
                        broken_.empty() ? "a longer --budget does" : "a launch failed");
      }
      continue;
    }
    verdict.tolerance = tolerance_of(verdict.ratio, least);
    verdict.verdict = Finding::fine;
    verdict.reason.clear();
  }
  judgement.conditions = conditions(test);
  if (!broken_.empty()) judgement.notes.push_back(broken_note());
  judgement.broken = broken_;
  return judgement;
}

}  // namespace nasvm
