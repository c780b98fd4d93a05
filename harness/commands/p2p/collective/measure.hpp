#pragma once
/// \file
/// Measures a collective among the tasks of a Comm at one size, as the OSU Micro-Benchmarks do: each task times each
/// call; between calls stands a barrier, outside the clock. The time of one call is that of its slowest task.
///
/// A second loop without barriers has the calls follow each other. It says what a call costs in a program that does
/// nothing else; a task that only sends (the root of a broadcast) may run ahead of the others there.
///
/// Rank 0 decides how often and tells the others. Nothing is allocated between two readings of the clock.

#include <cstdint>
#include <string>
#include <vector>

#include "harness/commands/p2p/collective/collective.hpp"
#include "harness/commands/p2p/collective/record.hpp"
#include "harness/measuring/effort.hpp"
#include "vm/comm.hpp"
#include "vm/metrics/clock.hpp"

namespace nasvm {

class CollectiveMeter {
 public:
  /// All tasks of `comm` make one, with the same effort. The Comm must outlive it.
  CollectiveMeter(Comm& comm, const Effort& effort);

  /// Measures one collective at one of its sizes; all tasks call it with the same ones. Every task's record has the
  /// same figures but `average_us`, which only rank 0 needs. Blocks; throws what Comm throws.
  CollectiveRecord measure(const Collective& collective, std::uint64_t bytes);

  /// What was wrong here since the beginning, one line each.
  [[nodiscard]] const std::vector<std::string>& complaints() const { return complaints_; }

 private:
  struct Work {
    const Collective& collective;
    CollectiveBuffers buffers;
  };

  double separate_calls(Work& work, std::int64_t iterations);
  double mean_in_a_row(Work& work, std::int64_t batch);
  bool check(Work& work, std::uint64_t bytes);
  std::int64_t agree(std::int64_t mine);

  Comm& comm_;
  Effort effort_;
  std::vector<Ticks> ticks_;  ///< of the calls of the last batch
  std::vector<std::string> complaints_;
};

}  // namespace nasvm
