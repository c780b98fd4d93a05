#pragma once
/// \file
/// The contract between kernels and whoever runs them, and the table of kernels.
///
/// A kernel is one folder: problem classes, algorithm, verification. It knows Comm and nothing else of the
/// machine. A new kernel is a new folder with its `Kernel`, and one row in the table (kernel.cpp). A new variant or
/// parameter is a row of that `Kernel`.

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/checkpoint.hpp"
#include "kernels/common/tuning_choice.hpp"
#include "vm/comm.hpp"

namespace nasvm {

/// Values of a kernel's own parameters, by name. A parameter that is not here has its default.
using ParameterValues = std::map<std::string, std::string, std::less<>>;

/// What to run: the same on every task.
struct Problem {
  char problem_class = 'S';  ///< S, W, A, B, C, D, E, F, R as far as the kernel has them
  int threads = 1;           ///< OpenMP threads inside each task
  std::string variant{};     ///< empty: the kernel's default
  ParameterValues parameters{};
  Checkpoints* checkpoints = nullptr;  ///< this task's; none: nobody wants any
};

/// What one task reports of its run. `verified`, `details` are equal on every task.
struct Outcome {
  bool verified = false;
  double time_s = 0;        ///< this task's timed region (the definition of NASA's reference)
  Counters communication;   ///< of the timed region
  int first_iteration = 1;  ///< a later one after a restart: then time and communication are those of the rest
  /// What was compared with the official values, for people: ("zeta", "17.130235054029"), ("error", "1.2e-13").
  std::vector<std::pair<std::string, std::string>> details;
  TuningChoices choices{};  ///< this task's; tasks that have tried may differ
};

/// What the communication of a timed region must be, derived from the decomposition (docs/kernels).
struct Traffic {
  std::uint64_t volume_bytes = 0;  ///< summed over tasks
  std::uint64_t messages = 0;      ///< summed over tasks
  bool exact = true;               ///< false: depends on the data; then these are bounds from above
};

/// What a timed region has to do at least, summed over tasks: derived from the algorithm (docs/roofline.md), not from
/// what a machine counts.
struct Work {
  double operations = 0;  ///< on the data: an addition, multiplication or comparison is one, a fused multiply-add two
  double bytes = 0;       ///< that sweeps over the large arrays read and write, each array once in a sweep
  double working_set_bytes = 0;  ///< size of these arrays: it decides where the bytes come from, a cache or memory
};

/// Work in units that can be computed anywhere, in any order, also by tasks that vanish: whoever runs it hands units
/// out, and sees to it that each counts once.
struct FarmedWork {
  std::int64_t (*units)(const Problem& problem);
  /// What some units that follow each other add up to, equally many numbers for any. Rows are added number by number,
  /// in any order: nothing of that may be rounded.
  std::vector<double> (*compute)(const Problem& problem, std::int64_t first, std::int64_t count);
  /// `verified` and `details`, from the sum of all units.
  Outcome (*conclude)(const Problem& problem, std::span<const double> sum);
};

/// One way of doing a kernel's work within its rules.
struct KernelVariant {
  std::string_view name;         ///< "tuned"
  std::string_view description;  ///< one line

  // As Kernel's functions of these names.
  Outcome (*run)(Comm& comm, const Problem& problem);
  std::uint64_t (*memory_bytes)(const Problem& problem, int tasks);
  Traffic (*traffic)(const Problem& problem, int tasks);
  Work (*work)(const Problem& problem, int tasks);

  /// Whether it makes checkpoints, and goes on from them (Problem::checkpoints).
  bool checkpoints = false;

  /// Instead of `run`, for variants that are one task and those that it spawns.
  const FarmedWork* farmed = nullptr;
};

/// A parameter that one kernel has beside those of Problem; on the command line `--NAME VALUE`.
struct KernelParameter {
  std::string_view name;                     ///< "balance"
  std::string_view description;              ///< what --help says, after the kernel's title
  std::span<const std::string_view> values;  ///< what it may be; first is the default
  std::string_view variant{};                ///< the only one that has it; empty: all have it

  /// Position of a value among `values`; UsageError when it is none of them.
  [[nodiscard]] std::size_t index_of(std::string_view value) const;
  /// Position of the value that the problem gives it.
  [[nodiscard]] std::size_t chosen(const Problem& problem) const;
};

/// The lines with which NASA's code of a kernel reports its verification before the result block; empty: it has none.
struct VerificationLines {
  std::string_view success;
  std::string_view failure;
};

/// One kernel, as the harness sees it.
struct Kernel {
  std::string_view name;                          ///< "ep"
  std::string_view title;                         ///< "EP", as NASA's output spells it
  std::string_view description;                   ///< one line for --help
  std::string_view classes;                       ///< "SWABCDEF"
  std::span<const KernelVariant> variants;        ///< one at least; first is the default
  std::span<const KernelParameter> parameters{};  ///< its own

  /// Operations by NASA's formula, in millions; divided by the time they give Mop/s.
  double (*mega_operations)(const Problem& problem);
  /// For NPB output: the "Size" text ("256x256x128", "14000"), iterations, operation type, verification.
  std::string (*size_text)(const Problem& problem);
  int (*iterations)(const Problem& problem);
  std::string_view operation_type;  ///< "floating point", "keys ranked", "Random numbers generated"
  VerificationLines verification_lines{};
  /// What its default variant chooses here, as far as that is known without a run; or how a run finds it.
  TuningChoices (*choices)() = nullptr;

  /// The variant of that name, the default for an empty one; UsageError when there is none.
  [[nodiscard]] const KernelVariant& variant(std::string_view variant_name) const;
  /// The parameter of that name, or nullptr.
  [[nodiscard]] const KernelParameter* parameter(std::string_view parameter_name) const;

  // These are the variant's that the problem names.
  /// Runs and verifies; collective over `comm`, whose size may be any number from 1 up. UsageError for farmed work.
  Outcome run(Comm& comm, const Problem& problem) const;
  /// Memory of all tasks together, in bytes (an estimate from above within a factor of 1.3).
  [[nodiscard]] std::uint64_t memory_bytes(const Problem& problem, int tasks) const {
    return variant(problem.variant).memory_bytes(problem, tasks);
  }
  /// Expected communication of the timed region.
  [[nodiscard]] Traffic traffic(const Problem& problem, int tasks) const {
    return variant(problem.variant).traffic(problem, tasks);
  }
  /// What the timed region has to do at least.
  [[nodiscard]] Work work(const Problem& problem, int tasks) const {
    return variant(problem.variant).work(problem, tasks);
  }
};

/// All kernels, in the order of the papers: ep, mg, cg, ft, is.
std::span<const Kernel> kernels();

/// The kernel of that name, or nullptr.
const Kernel* find_kernel(std::string_view name);

/// The timed region of a kernel: starts where it is made, ends with stop(). Begin it after a barrier.
class TimedRegion {
 public:
  explicit TimedRegion(Comm& comm) : comm_(comm), before_(comm.counters()), begin_(ticks_now()) {}
  /// Does something, all tasks together, that belongs neither to its time nor to its communication; the time until
  /// the last task comes to it does.
  template <typename Action>
  void pause_for(Action action) {
    const Counters counted = comm_.counters() - before_;
    comm_.barrier();
    const Ticks paused = ticks_now();
    action();
    comm_.barrier();
    before_ = comm_.counters() - counted;
    begin_ += ticks_now() - paused;
  }
  /// Writes seconds and communication into the outcome. Collective: waits, untimed, until all tasks have come, so
  /// that what one does afterwards takes no core from another whose time still runs.
  void stop(Outcome& outcome) const {
    outcome.time_s = to_seconds(ticks_now() - begin_);
    outcome.communication = comm_.counters() - before_;
    comm_.barrier();
  }

 private:
  Comm& comm_;
  Counters before_;
  Ticks begin_;
};

/// After an iteration: makes a checkpoint where one is due, of what `state()` says.
template <typename State>
void checkpoint_if_due(Checkpoints* checkpoints, TimedRegion& timed, int iteration, int iterations, State state) {
  if (checkpoints == nullptr || !checkpoints->is_due(iteration, iterations)) return;
  timed.pause_for([&] { checkpoints->save(iteration, state()); });
}

/// Before the timed region: the first iteration to be done. `state()` is what a checkpoint fills, if there is one.
template <typename State>
int first_iteration(Checkpoints* checkpoints, State state) {
  if (checkpoints == nullptr || !checkpoints->can_restore()) return 1;
  return checkpoints->restore(state()) + 1;
}

}  // namespace nasvm
