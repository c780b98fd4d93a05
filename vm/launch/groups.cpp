#include "vm/launch/groups.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "vm/status.hpp"

namespace nasvm {

bool Groups::Group::has(Tid task) const {
  return std::ranges::any_of(members, [&](const auto& member) { return member.second == task; });
}

Groups::Group& Groups::group_with(const std::string& name, Tid task) {
  const auto found = groups_.find(name);
  if (found == groups_.end() || !found->second.has(task)) {
    throw UsageError(fmt::format("this task is not in group \"{}\": it has to join first", name));
  }
  return found->second;
}

int Groups::join(const std::string& name, Tid task) {
  if (name.empty()) throw UsageError("a group needs a name");
  Group& group = groups_[name];
  if (group.has(task)) throw UsageError(fmt::format("this task is in group \"{}\" already", name));
  int number = 0;
  while (group.members.contains(number)) ++number;
  group.members[number] = task;
  return number;
}

std::vector<Groups::Broken> Groups::leave(const std::string& name, Tid task) {
  Group& group = group_with(name, task);
  std::vector<Broken> broken;
  drop(name, group, task, broken);
  if (group.members.empty()) groups_.erase(name);
  return broken;
}

void Groups::drop(const std::string& name, Group& group, Tid task, std::vector<Broken>& broken) {
  std::erase_if(group.members, [&](const auto& member) { return member.second == task; });
  std::erase(group.waiting, task);
  if (!group.waiting.empty() && std::ssize(group.members) < group.awaited) {
    broken.push_back({name, std::exchange(group.waiting, {})});
  }
}

std::vector<Tid> Groups::members(std::string_view name) const {
  std::vector<Tid> tasks;
  const auto found = groups_.find(name);
  if (found == groups_.end()) return tasks;
  for (const auto& [number, task] : found->second.members) tasks.push_back(task);
  return tasks;
}

std::vector<Tid> Groups::arrive(const std::string& name, Tid task, int count) {
  Group& group = group_with(name, task);
  if (count < 1)
    throw UsageError(fmt::format("barrier of group \"{}\": {} members cannot be waited for", name, count));
  if (!group.waiting.empty() && group.awaited != count) {
    throw UsageError(fmt::format("barrier of group \"{}\": this task waits for {} members, but others for {}", name,
                                 count, group.awaited));
  }
  group.awaited = count;
  group.waiting.push_back(task);
  if (std::ssize(group.waiting) < count) return {};
  return std::exchange(group.waiting, {});
}

std::vector<Groups::Broken> Groups::remove(Tid task) {
  std::vector<Broken> broken;
  for (auto& [name, group] : groups_) {
    if (group.has(task)) drop(name, group, task, broken);
  }
  std::erase_if(groups_, [](const auto& entry) { return entry.second.members.empty(); });
  return broken;
}

}  // namespace nasvm
