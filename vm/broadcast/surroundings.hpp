#pragma once
/// \file
/// What groups need of the task that is their member (Task::surroundings).

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "vm/auth.hpp"
#include "vm/endpoint.hpp"
#include "vm/multicast/multicast.hpp"
#include "vm/net/poller.hpp"

namespace nasvm::multicast {

struct Surroundings {
  /// A task that has ended, and how, for people.
  struct Ended {
    Rank world_rank = 0;
    std::string text{};
  };

  std::vector<int> hosts{};       ///< of the program's tasks, by world rank
  std::string address{};          ///< by which this host's daemon talks to others
  Secret secret{};                ///< the machine's
  net::Poller* poller = nullptr;  ///< of all descriptors that the task waits for; over links none is needed
  /// So many more, or fewer, answer others through the poller: it gets its turn often, whatever the task waits for.
  std::function<void(int more)> answer = [](int) {};
  /// Blocks until `done()` or `deadline`, moving on everything that the task has under way.
  std::function<void(const std::function<bool()>& done, TimePoint deadline)> wait_until{};
  /// Asks that the ends of those tasks (world ranks), and of their hosts, be no end of the run, and be in `ended`.
  /// Blocks.
  std::function<void(std::span<const Rank> tasks)> outlive{};
  /// Of those tasks, in the order in which this one has heard of it.
  std::function<std::span<const Ended>()> ended{};
};

}  // namespace nasvm::multicast
