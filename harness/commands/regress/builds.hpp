#pragma once
/// \file
/// Two builds beside each other: their launches take turns until a decision or the end of a budget
/// (docs/decisions/regress.md).

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/command.hpp"
#include "harness/commands/regress/block_conditions.hpp"
#include "harness/commands/regress/launcher.hpp"
#include "harness/commands/regress/sequential.hpp"
#include "harness/commands/regress/verdict.hpp"

namespace nasvm {

/// What is launched: a command of nasvm, as typed behind the program's name.
struct LaunchedCommand {
  std::vector<std::string> whole;  ///< "run", "ft", "mg", "--class", "A", "--threads", "2"
  /// Of `run`, each case is launched by itself, with these options beside its own ("--threads", "2"); none: another
  /// command, always launched as a whole.
  std::optional<std::vector<std::string>> of_each_run{};
};

/// Throws UsageError where launches on this machine are not to be judged; none: all are.
using MachineCheck = std::function<void(const MachineRecord&)>;

struct BuildsOptions {
  std::string baseline;   ///< program
  std::string candidate;  ///< program
  LaunchedCommand command;
  double budget_s = 300;                ///< for the launches that are timed
  std::chrono::milliseconds timeout{};  ///< for one launch
  Tolerances tolerances{};
  Risks risks{};
  MachineCheck check_machine{};  ///< of the machine as the first launch describes it
  std::uint64_t seed = 0;        ///< of the coin: another one in each call, or its cases always have the same order
};

/// What has been measured, for exports: all timed launches of either build.
struct BuildDocuments {
  Document baseline;
  Document candidate;
};

class Builds {
 public:
  /// Refers to all of them.
  Builds(const BuildsOptions& options, const BuildLauncher& launch, std::span<const CommandRow> commands,
         const Console& console);

  /// First the facts: one launch of each build with the whole command, two more where facts differ. When one has
  /// failed, no time is taken. Then blocks of four launches for each part of the command that can be launched by
  /// itself, in turns, until all its cases are decided. A launch that fails ends it, and what is known is judged: of
  /// no case while the facts are looked at. Blocks. Throws UsageError, RunError and Interrupted.
  Judgement compare();
  /// Holds the candidate's build against itself until the budget ends or each case has had 120 blocks, and says how
  /// much worse than itself it may seem: the tolerances of its cases, above `least`. A launch that fails ends it as
  /// above. Blocks. Throws as above.
  Judgement calibrate(double least);

  [[nodiscard]] const BuildDocuments& documents() const { return documents_; }

 private:
  enum class Side { baseline, candidate };
  /// A part of the command that is launched by itself, and the positions of its cases.
  struct Part {
    std::vector<std::string> command;
    std::vector<std::size_t> cases;
    double spent_s = 0;  ///< for its blocks
  };
  /// Of the blocks of one case that count: the better launch of either build, in the figure's unit.
  struct BetterLaunches {
    std::vector<double> baseline;
    std::vector<double> candidate;
  };

  /// Launches, and adds the results to the cases.
  Document launch(Side side, const std::vector<std::string>& command);
  /// Fills the cases, and the parts with those that both builds have.
  void look_at_facts();
  /// The same; false: a launch has failed, which is remembered.
  bool look_at_facts_or_break();
  void make_parts(const Document& document);
  [[nodiscard]] bool is_over() const { return console_.now() >= deadline_; }
  void start_clock();
  /// Takes blocks in turns until each open case has that many, or the budget is used up.
  void add_blocks(SequentialTest& test, std::size_t blocks);
  /// The same; a launch that fails ends it, too, and is remembered.
  void add_blocks_or_break(SequentialTest& test, std::size_t blocks);
  /// `wanted`: blocks of each open case at the next look.
  void add_block(Part& part, std::size_t wanted, SequentialTest& test);
  /// Names, and medians of what the ratios are made of; of all launches where nothing was timed.
  [[nodiscard]] std::vector<CaseVerdict> facts() const;
  /// With the facts.
  [[nodiscard]] Judgement begin_judgement() const;
  /// Without cases; what has failed is said.
  [[nodiscard]] Judgement broken_judgement() const;
  [[nodiscard]] SequentialTest begin_test() const;
  [[nodiscard]] std::vector<std::string> conditions(const SequentialTest& test) const;
  /// Is it not decided yet, or not at all?
  [[nodiscard]] static bool is_left(const Trial& trial);
  /// Seconds with which all cases that are left would have had that many blocks; 0: one of them has had none, so that
  /// nobody knows.
  [[nodiscard]] double budget_for(std::size_t blocks, const SequentialTest& test) const;
  /// What would be enough of an undecided case; for people.
  [[nodiscard]] std::string lack_of(const Trial& trial, const Interval& ratio, const SequentialTest& test) const;
  /// A line for people: which budget would have decided all cases that are left; empty where none is known to.
  [[nodiscard]] std::string advice(const SequentialTest& test) const;
  void judge(std::size_t position, const SequentialTest& test, CaseVerdict& verdict) const;
  /// What ended it before all was decided.
  [[nodiscard]] std::string_view ending() const { return broken_.empty() ? "the budget ended" : "a launch failed"; }
  /// A line for people.
  [[nodiscard]] std::string broken_note() const;

  const BuildsOptions& options_;
  const BuildLauncher& launch_;
  std::span<const CommandRow> commands_;
  const Console& console_;
  std::vector<RecordType> types_;
  std::vector<ComparedCase> cases_;
  std::vector<ChangedBlocks> changed_;  ///< of each case
  std::vector<BetterLaunches> better_;  ///< of each case
  std::vector<Part> parts_;
  BuildDocuments documents_;
  std::string broken_;  ///< the launch that failed
  std::mt19937_64 coin_;
  std::chrono::steady_clock::time_point deadline_{};
};

}  // namespace nasvm
