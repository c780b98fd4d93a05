#include "harness/commands/regress/regress.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <limits>
#include <optional>
#include <random>
#include <set>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "harness/cli/groups.hpp"
#include "harness/cli/values.hpp"
#include "harness/cli/words.hpp"
#include "harness/commands/regress/builds.hpp"
#include "harness/commands/regress/formats.hpp"
#include "harness/commands/regress/saved.hpp"
#include "harness/commands/regress/tolerances.hpp"
#include "harness/kernel_runs/options.hpp"
#include "harness/session/attempt.hpp"
#include "harness/session/machines.hpp"
#include "harness/text.hpp"
#include "vm/process/programs.hpp"

namespace nasvm {
namespace {

constexpr double least_tolerance = 0.01;  ///< of a calibration
constexpr double max_budget_s = 1e6;
const double usual_timeout_s = RunOptions().timeout_s;

std::vector<std::string_view> format_names() {
  std::vector<std::string_view> names;
  for (const JudgementFormat& format : judgement_formats()) names.push_back(format.name);
  return names;
}

/// Commands that would repeat what they measure within one launch.
constexpr std::array<std::string_view, 5> repeating_commands{"p2p", "mcast", "io", "peers", "roofline"};

/// Where the words for a program begin that is run; the end, where there are none.
std::vector<std::string>::const_iterator own_end(const std::vector<std::string>& words) {
  return std::ranges::find(words, "--");
}

bool names_option(const std::vector<std::string>& words, const std::string& option) {
  return std::any_of(words.begin(), own_end(words),
                     [&option](const std::string& word) { return word == option || word.starts_with(option + "="); });
}

/// A launch is one sample, unless the words ask for something else.
std::vector<std::string> with_one_run(std::vector<std::string> words) {
  const bool repeats = !words.empty() && std::ranges::find(repeating_commands, words[0]) != repeating_commands.end();
  if (repeats && !names_option(words, "--runs")) words.insert(words.begin() + 1, {"--runs", "1"});
  return words;
}

/// An option that is handed on to the launched `nasvm run`, whose builds judge it.
struct HandedOn {
  OptionText text;
  bool of_case = false;  ///< a launch of one case has its own value
  std::string value{};
};

std::vector<HandedOn> handed_on_options() {
  return {{{"--class", "LIST", "problem classes, as of nasvm run"}, true},
          {{"--np", "LIST", "numbers of tasks, as of nasvm run"}, true},
          {{"--transport", "LIST", "transports, as of nasvm run"}, true},
          {{"--threads", "N", "as of nasvm run"}},
          {{"--variant", "LIST", "variants, as of nasvm run"}, true},
          {{"--bind", "NAME", "as of nasvm run"}},
          {{"--hostfile", "FILE", "as of nasvm run"}},
          {{"--host", "LIST", "as of nasvm run"}},
          {{"--launcher", "NAME", "as of nasvm run"}},
          {{"--rsh", "COMMAND", "as of nasvm run"}},
          {{"--interface", "NAME", "as of nasvm run"}}};
}

void add_percent(CommandLine& line, const OptionText& text, double& value, double least, double most) {
  add_parsed(line, text, fmt::format("{:g}", 100 * value),
             [&value, name = text.first_name(), least, most](const std::string& typed) {
               value = parse_real(name, typed, least, most) / 100;
             });
}

std::vector<Source> read_sources(std::span<const std::string> files, std::span<const RecordType> types) {
  std::vector<Source> sources;
  for (const std::string& file : files) sources.push_back({file, read_document(file, types)});
  return sources;
}

/// A pattern, "--baseline main*.json", gives the option its first file, and its others to the new side.
constexpr std::string_view list_advice = "--baseline takes a list with commas: main1.json,main2.json";

bool lacks_baseline_samples(const CaseVerdict& one) {
  return one.verdict == Finding::undecided && one.baseline_samples < least_samples;
}

/// Throws UsageError where the documents of a side are of different builds.
void check_one_build(std::span<const Source> side) {
  for (const auto& [what, member] :
       {std::pair("version", &BuildRecord::version), std::pair("commit", &BuildRecord::commit),
        std::pair("flags", &BuildRecord::flags)}) {
    const Source* first = nullptr;  // that says which
    for (const Source& source : side) {
      const std::string& own = source.document.build.*member;
      if (own.empty()) continue;
      if (first == nullptr) first = &source;
      const std::string& other = first->document.build.*member;
      if (own == other) continue;
      throw UsageError(
          fmt::format("{} and {} are of different builds, and on one side ({} {} and {}); {}; or --force",
                      first->file, source.file, what, other, own, list_advice));
    }
  }
}

/// Throws UsageError where a file stands there twice.
void check_distinct(std::span<const Source> baseline, std::span<const Source> candidate) {
  std::set<std::filesystem::path> paths;
  for (const auto side : {baseline, candidate}) {
    for (const Source& source : side) {
      std::error_code error;
      const auto path = std::filesystem::canonical(source.file, error);
      if (error || paths.insert(path).second) continue;  // what has no path, such as a pipe, stands there once
      throw UsageError(fmt::format("{}: is named twice; leave it out once, or --force", source.file));
    }
  }
}

class Regress final : public Command {
 public:
  explicit Regress(BuildLauncher launch) : launch_(std::move(launch)) {}

  void add_options(CommandLine& line, const Tables&) override {
    line.arguments({"WHAT", "", "with --baseline: result documents to judge; else kernels (default: all)"}, what_);
    line.option({"--baseline-build", "DIR", "build folder to hold against this build, in turns, launch by launch"},
                baseline_build_);
    line.option({"--baseline", "FILES", "result documents of the same machine, separated by commas"}, baseline_);
    line.option({"--calibrate", "FILE", "hold this build against itself; write the tolerance of each case"},
                calibrate_);
    line.option({"--build", "DIR", "build folder to judge (default: that of this program)"}, build_);
    for (HandedOn& option : handed_on_) line.option(option.text, option.value);
    line.option({"--command", "WORDS", "another command to launch, such as 'p2p -m 8:64k --transport shm'"},
                command_);
    add_real(line, {"--budget", "SECONDS", "time for timed launches"}, "300", budget_s_, 0, max_budget_s);
    add_real(line, {"--timeout", "SECONDS", "time that one launch may take"}, fmt::format("{}", usual_timeout_s),
             timeout_s_, 0, max_timeout_s);
    add_percent(line, {"--threshold", "PERCENT", "tolerance: how much slower does not matter"}, tolerances_.usual, 0,
                1000);
    line.option({"--tolerances", "FILE", "tolerances of single cases, from --calibrate"}, tolerance_file_);
    add_percent(line, {"--confidence", "PERCENT", "that nothing is called slower, or fine, by mistake"}, confidence_,
                50, 99.999);
    add_parsed(line, {"--seed", "N", "of the coin that orders launches, as an earlier call said"}, "",
               [this](const std::string& text) {
                 if (text.empty()) return;
                 constexpr int largest = std::numeric_limits<int>::max();
                 seed_ = static_cast<std::uint64_t>(parse_count("--seed", text, 0, largest));
               });
    line.flag({"--force", "", "saved documents of other machines, conditions and builds count as well"}, forced_);
    add_choice(line, {"--format", "NAME", "what to print: " + joined(format_names())}, format_, format_names());
    line.option({"--export-baseline", "FILE", "also write the document of all timed launches of the baseline build"},
                export_baseline_);
    line.option({"--export-new", "FILE", "also write that of the judged build"}, export_new_);
    line.afterwards([this, &line] { check(line); });
    line.footer(
        "Exit status 1: slower, or wrong, missing, or with more messages or volume; 4: could not decide.\n\n"
        "Examples:\n  nasvm regress --baseline-build ../main/build ft cg --class W --np 2 --transport direct\n"
        "  nasvm regress --baseline main.json branch.json");
  }

  Exit run(const Call& call) override {
    check_different({export_baseline_, export_new_, calibrate_});
    std::exception_ptr error;
    Judgement judgement = is_saved() ? judge_documents(call) : judge_builds(call, error);
    judgement.is_calibration = !calibrate_.empty();
    judgement.lacks_file = error != nullptr;
    const auto format = std::ranges::find(judgement_formats(), format_, &JudgementFormat::name);
    call.console.out(format->render(judgement));
    if (!judgement.broken.empty()) throw RunError(judgement.broken);
    if (error) std::rethrow_exception(error);
    return overall(judgement);
  }

 private:
  [[nodiscard]] bool is_saved() const { return !baseline_.empty(); }
  [[nodiscard]] Risks risks() const { return {1 - confidence_, 1 - confidence_}; }

  void check(const CommandLine& line) const {
    const auto given = {line.given("--baseline"), line.given("--baseline-build"), line.given("--calibrate")};
    if (std::ranges::count(given, true) != 1) {
      throw UsageError(
          "expected one of --baseline-build DIR (two builds in turns), --baseline FILE (saved documents) and "
          "--calibrate FILE");
    }
    if (is_saved()) check_saved(line);
    else check_launched(line);
  }

  void check_saved(const CommandLine& line) const {
    if (std::ranges::count(split(baseline_, ','), "") != 0) {
      throw UsageError(
          fmt::format("--baseline {}: a name is missing beside a comma, where no blank may be", baseline_));
    }
    if (what_.empty()) throw UsageError("--baseline FILE: name the result documents to judge, too");
    std::vector<std::string> others{"--build", "--command",         "--budget",    "--timeout",
                                    "--seed",  "--export-baseline", "--export-new"};
    for (const HandedOn& option : handed_on_) others.push_back(option.text.names);
    for (const std::string& option : others) {
      if (line.given(option)) throw UsageError(fmt::format("{}: goes with --baseline-build, not --baseline", option));
    }
  }

  void check_launched(const CommandLine& line) const {
    for (const char* option : {"--threshold", "--tolerances"}) {
      if (line.given("--calibrate") && line.given(option)) {
        throw UsageError(
            fmt::format("{}: goes with a comparison; --calibrate finds tolerances, of 1 % and more", option));
      }
    }
    using Export = std::pair<const char*, const std::string&>;
    for (const auto& [option, path] : {Export("--export-baseline", export_baseline_),
                                       Export("--export-new", export_new_), Export("--calibrate", calibrate_)}) {
      if (path == "-") throw UsageError(fmt::format("{} -: standard output is the judgement's; name a file", option));
    }
    if (command_.empty()) return;
    const std::vector<std::string> words = words_in("--command", command_);
    for (const HandedOn& option : handed_on_) {
      if (line.given(option.text.names)) {
        throw UsageError(fmt::format("{}: put it into --command, which is launched as it is", option.text.names));
      }
    }
    if (!what_.empty())
      throw UsageError(fmt::format("{}: put it into --command, which is launched as it is", what_[0]));
    std::vector<std::string> own{"--format"};
    if (exports_document(words)) own.emplace_back("--export-json");
    for (const std::string& option : own) {
      if (!names_option(words, option)) continue;
      throw UsageError(fmt::format("--command: leave {} out; results are read as JSON{}", option,
                                   words[0] == "exec" ? " (a program's own options go behind --)" : ""));
    }
  }

  Judgement judge_documents(const Call& call) {
    const std::vector<RecordType> types = record_types(call.tables.commands);
    const std::vector<Source> baseline = read_sources(split(baseline_, ','), types);
    const std::vector<Source> candidate = read_sources(what_, types);
    if (!forced_) {
      check_distinct(baseline, candidate);
      check_one_build(baseline);
      check_one_build(candidate);
    }
    const MachineCheck check_machine = read_calibration();
    if (check_machine) check_machine(candidate.front().document.machine);
    Judgement judgement = judge_saved(baseline, candidate, {tolerances_, risks(), forced_}, call.tables.commands);
    const bool is_one_to_several = baseline.size() == 1 && candidate.size() > 1;
    if (is_one_to_several && std::ranges::any_of(judgement.cases, lacks_baseline_samples)) {
      judgement.notes.push_back(fmt::format("{} alone is the baseline; {}", baseline.front().file, list_advice));
    }
    return judgement;
  }

  /// Returns what refuses other machines than that of the tolerances; none where all will do.
  MachineCheck read_calibration() {
    if (tolerance_file_.empty()) return {};
    const MachineRecord calibrated = read_tolerances(tolerance_file_, tolerances_);
    if (forced_) return {};
    return [this, calibrated](const MachineRecord& here) {
      check_calibrated_machine(tolerance_file_, calibrated, here);
    };
  }

  [[nodiscard]] LaunchedCommand launched() const {
    if (!command_.empty()) return {with_one_run(words_in("--command", command_))};
    LaunchedCommand command{{"run"}, std::vector<std::string>{}};
    if (what_.empty()) command.whole.emplace_back("all");
    command.whole.insert(command.whole.end(), what_.begin(), what_.end());
    const auto hand_on = [&](const std::string& option, const std::string& value, bool of_case) {
      command.whole.insert(command.whole.end(), {option, value});
      if (!of_case) command.of_each_run->insert(command.of_each_run->end(), {option, value});
    };
    for (const HandedOn& option : handed_on_) {
      if (!option.value.empty()) hand_on(option.text.names, option.value, option.of_case);
    }
    // Its own might be shorter.
    if (timeout_s_ != usual_timeout_s) hand_on("--timeout", fmt::format("{}", timeout_s_), false);
    return command;
  }

  /// `file_error`: of a file that could not be written although there is a judgement.
  Judgement judge_builds(const Call& call, std::exception_ptr& file_error) {
    std::vector<std::optional<OutputFile>> files;
    for (const std::string& path : {export_baseline_, export_new_, calibrate_}) {
      files.push_back(path.empty() ? std::nullopt : std::optional<OutputFile>(path));
    }
    const std::string own = build_.empty() ? process::own_program() : program_of_build("--build", build_);
    const bool calibrating = !calibrate_.empty();
    const MachineCheck check_machine = read_calibration();
    const BuildsOptions options{calibrating ? own : program_of_build("--baseline-build", baseline_build_),
                                own,
                                launched(),
                                budget_s_,
                                milliseconds_of(timeout_s_),
                                tolerances_,
                                risks(),
                                check_machine,
                                seed_ ? *seed_ : std::random_device()() / 2};
    Builds builds(options, launch_, call.tables.commands, call.console);
    std::optional<Judgement> judgement;
    std::exception_ptr error;
    attempt(error, [&] { judgement = calibrating ? builds.calibrate(least_tolerance) : builds.compare(); });
    // What an earlier call has written stays until there is something new.
    const auto& [before, now] = builds.documents();
    if (files[0] && before.has_results()) attempt(error, [&] { files[0]->rewrite(to_json(before)); });
    if (files[1] && now.has_results()) attempt(error, [&] { files[1]->rewrite(to_json(now)); });
    if (!judgement) std::rethrow_exception(error);
    if (files[2] && judgement->count(Finding::fine) > 0) {
      attempt(error, [&] { files[2]->rewrite(tolerance_file(*judgement, now)); });
    }
    file_error = error;
    return *std::move(judgement);
  }

  BuildLauncher launch_;
  std::vector<std::string> what_;
  std::string baseline_build_;
  std::string baseline_;
  std::string calibrate_;
  std::string build_;
  std::vector<HandedOn> handed_on_ = handed_on_options();
  std::string command_;
  double budget_s_ = 300;
  double timeout_s_ = usual_timeout_s;
  Tolerances tolerances_;
  std::string tolerance_file_;
  double confidence_ = 0.95;
  std::optional<std::uint64_t> seed_;  ///< none: another one in each call
  bool forced_ = false;
  std::string format_ = "table";
  std::string export_baseline_;
  std::string export_new_;
};

}  // namespace

CommandRow regress_command(BuildLauncher launch) {
  return {"regress", "exit 1 when something really got slower, 4 when undecided",
          [launch = std::move(launch)] { return std::make_unique<Regress>(launch); }};
}

}  // namespace nasvm
