#include "vm/launch/wait_graph.hpp"

#include <algorithm>

namespace nasvm {

/// One of those that it waits for is not stuck, or has granted what it has not heard of.
bool WaitGraph::may_go_on(const protocol::Blocked& task, const Reports& stuck) {
  return std::ranges::any_of(task.awaited, [&](const protocol::GrantCount& heard) {
    const auto awaited = stuck.find(heard.tid);
    if (awaited == stuck.end()) return true;
    const auto given = std::ranges::find(awaited->second.given, task.tid, &protocol::GrantCount::tid);
    return (given == awaited->second.given.end() ? 0 : given->grants) != heard.grants;
  });
}

std::vector<Tid> WaitGraph::cycle() const {
  Reports stuck = reports_;
  while (std::erase_if(stuck, [&](const auto& entry) { return may_go_on(entry.second, stuck); }) != 0) continue;
  if (stuck.empty()) return {};
  std::vector<Tid> path{stuck.begin()->first};
  for (;;) {
    const Tid next = stuck.at(path.back()).awaited.front().tid;
    const auto seen = std::ranges::find(path, next);
    if (seen != path.end()) return {seen, path.end()};
    path.push_back(next);
  }
}

}  // namespace nasvm
