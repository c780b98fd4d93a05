#pragma once
/// \file
/// Finds tasks that wait for each other in sends for ever. Pure logic, without times.
///
/// A report says which tasks may end a task's waiting, how many grants it has heard from each, and how many it has
/// given itself. Some tasks are stuck when each of them waits for these tasks alone, and none has given a grant to
/// another one that had not heard of it: whoever is the first of them to go on would need such a grant. So a report
/// that is out of date does no harm, and nothing needs to be taken back but what a task has said that has ended: that
/// lets others go on without a grant.
/// (Communication deadlock: Chandy, Misra, Haas, Distributed Deadlock Detection, ACM TOCS 1(2), 1983, section 4.)

#include <map>
#include <vector>

#include "vm/message.hpp"
#include "vm/protocol/messages.hpp"

namespace nasvm {

class WaitGraph {
 public:
  /// In place of what that task has said before.
  void note(const protocol::Blocked& blocked) { reports_[blocked.tid] = blocked; }
  /// That task has ended: who waits for it may go on.
  void forget(Tid task) { reports_.erase(task); }
  /// Tasks each of which waits for the next, and the last for the first, for ever; empty when there are none.
  [[nodiscard]] std::vector<Tid> cycle() const;

 private:
  using Reports = std::map<Tid, protocol::Blocked>;

  [[nodiscard]] static bool may_go_on(const protocol::Blocked& task, const Reports& stuck);

  Reports reports_;
};

}  // namespace nasvm
