#include "vm/link/shared_runs.hpp"

#include <algorithm>

namespace nasvm::link {

void SharedRuns::release(std::uint64_t block) {
  const auto run = std::ranges::find(runs_, block, &Run::block);
  if (run != runs_.end()) run->held = false;
}

void SharedRuns::forget_before(std::uint64_t acknowledged) {
  while (!runs_.empty() && runs_.front().end() <= acknowledged) runs_.pop_front();
}

const SharedRuns::Run* SharedRuns::held_from(std::uint64_t offset) const {
  const auto run = std::find_if(ending_behind(offset), runs_.end(), [](const Run& some) { return some.held; });
  return run == runs_.end() ? nullptr : &*run;
}

const SharedRuns::Run* SharedRuns::at(std::uint64_t offset) const {
  const auto run = ending_behind(offset);
  return run == runs_.end() || run->begin > offset ? nullptr : &*run;
}

const SharedRuns::Run* SharedRuns::find(std::uint64_t block) const {
  const auto run = std::ranges::find(runs_, block, &Run::block);
  return run == runs_.end() ? nullptr : &*run;
}

std::deque<SharedRuns::Run>::const_iterator SharedRuns::ending_behind(std::uint64_t offset) const {
  return std::ranges::partition_point(runs_, [offset](const Run& run) { return run.end() <= offset; });
}

}  // namespace nasvm::link
