#pragma once
/// \file
/// What groups need of the task that is their member (Task::surroundings).

#include <functional>
#include <string>
#include <vector>

#include "vm/auth.hpp"
#include "vm/multicast/multicast.hpp"
#include "vm/net/poller.hpp"

namespace nasvm::multicast {

struct Surroundings {
  std::vector<int> hosts{};       ///< of the program's tasks, by world rank
  std::string address{};          ///< by which this host's daemon talks to others
  Secret secret{};                ///< the machine's
  net::Poller* poller = nullptr;  ///< of all descriptors that the task waits for; over links none is needed
  /// Blocks until `done()` or `deadline`, moving on everything that the task has under way.
  std::function<void(const std::function<bool()>& done, TimePoint deadline)> wait_until{};
};

}  // namespace nasvm::multicast
