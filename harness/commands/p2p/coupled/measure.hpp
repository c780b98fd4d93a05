#pragma once
/// \file
/// What the tasks of `nasvm p2p --coupled` do.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "harness/commands/p2p/coupled/record.hpp"
#include "harness/measuring/effort.hpp"
#include "vm/task.hpp"

namespace nasvm {

struct CoupledMeasured {
  std::vector<CoupledRecord> records;   ///< one for each length, without scenario; rank 0's are the figures
  std::vector<std::string> complaints;  ///< of this task
};

/// Runs the model with halos of each of these lengths. All tasks call it; blocks. `by_hand`: other transports than
/// memory are looked at only while the components meet.
CoupledMeasured measure_coupled(Task& task, const Effort& effort, std::span<const std::uint64_t> sizes, bool by_hand);

}  // namespace nasvm
