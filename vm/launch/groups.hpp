#pragma once
/// \file
/// Named groups of a run's tasks: who is in each, by number, and who waits in its barrier. Bookkeeping alone. What
/// cannot be done is a UsageError for the task that asks.
///
/// Source: PVM 3.4, pvm_joingroup, pvm_lvgroup, pvm_barrier.

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "vm/message.hpp"

namespace nasvm {

class Groups {
 public:
  /// A barrier that its members cannot complete any more, and who waits in it.
  struct Broken {
    std::string group;
    std::vector<Tid> waiting;
  };

  /// Returns the task's number: the least that is free, from 0.
  int join(const std::string& name, Tid task);
  std::vector<Broken> leave(const std::string& name, Tid task);
  /// By their numbers; none when there is no such group.
  [[nodiscard]] std::vector<Tid> members(std::string_view name) const;
  /// The task waits until `count` members do. Returns those that go on now: all of them, or nobody.
  std::vector<Tid> arrive(const std::string& name, Tid task, int count);

  /// The task has ended: it is in no group any more.
  std::vector<Broken> remove(Tid task);

 private:
  struct Group {
    std::map<int, Tid> members;
    std::vector<Tid> waiting;
    int awaited = 0;  ///< members that the barrier waits for, while some wait

    [[nodiscard]] bool has(Tid task) const;
  };

  static void drop(const std::string& name, Group& group, Tid task, std::vector<Broken>& broken);
  /// Throws UsageError when the task is not in it.
  Group& group_with(const std::string& name, Tid task);

  std::map<std::string, Group, std::less<>> groups_;
};

}  // namespace nasvm
