#pragma once
/// \file
/// What a task waits for, for people: the console asks all tasks when a run's time is up, so that whoever has
/// forgotten a message or a collective sees where. Pure text.

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "vm/endpoint.hpp"
#include "vm/engine/engine.hpp"

namespace nasvm {

struct TaskWaits {
  std::vector<Engine::Pending> pending{};  ///< its own, oldest first
  std::vector<Engine::Pending> unread{};   ///< messages that have come and wait for their receives
  bool in_memory = false;                  ///< it waits for what others write into common memory
  bool in_multicast = false;               ///< it sends or receives one, with others than these messages
  std::string asked{};                     ///< what it has asked the console for; empty: nothing
  bool finishing = false;                  ///< it is in Task::finish
};

/// "waits for a message from rank 1 with tag 6; one with tag 5 from rank 1 has come and is not received".
/// `name_of`: a peer.
[[nodiscard]] std::string text_of(const TaskWaits& waits, const std::function<std::string(Rank)>& name_of);

}  // namespace nasvm
