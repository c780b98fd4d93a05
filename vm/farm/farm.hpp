#pragma once
/// \file
/// Farms on the virtual machine: one task leads, and spawns the others. The answer does not depend on whether these
/// stay alive (vm/farm/lead.hpp).
///
/// Communication is counted as Comm counts it, by the farm: peers are the farm's tasks, 0 the leader.

#include <functional>
#include <string>

#include "vm/farm/lead.hpp"
#include "vm/metrics/counters.hpp"
#include "vm/task.hpp"

namespace nasvm::farm {

/// What one task of a farm has to say of it.
struct Part {
  double time_s = 0;  ///< of the leader: from when all workers are there until the result is. Nobody's is longer
  Counters communication;
};

struct Harvest {
  Row sum;
  Part leader;
  double spawn_s = 0;            ///< before that: until the workers were there
  int lost = 0;                  ///< workers that did not leave in good order
  std::int64_t units_again = 0;  ///< handed out once more, when another worker had them in hand
};

/// The leader: spawns `workers` tasks of this program, whose Task::setup() returns `setup`, and leads them. Blocks
/// until the workers have left; those that take long for it are ended.
Harvest lead(Task& task, const Work& work, int workers, const std::string& setup);

/// A worker: computes for the task that has spawned it until that says that all is done. Blocks.
Part serve(Task& task, const std::function<Row(const Units&)>& compute);

}  // namespace nasvm::farm
