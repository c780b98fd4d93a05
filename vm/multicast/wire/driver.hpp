#pragma once
/// \file
/// Runs one end of a protocol over a port: what has arrived goes to the end, deadlines are kept, what the end sends
/// leaves, and in between the thread looks for more or sleeps (vm/waiting/patience.hpp).

#include <poll.h>

#include <chrono>
#include <functional>
#include <vector>

#include "vm/multicast/wire/group_port.hpp"
#include "vm/waiting/patience.hpp"

namespace nasvm::multicast {

class Driver {
 public:
  struct Options {
    Patience::Options patience{};  ///< by default it sleeps at once
    /// Descriptors of the owner's that end a sleep when they can be read; it has to read them, then.
    std::vector<int> watched{};
    /// So often the owner's condition is asked, whatever happens.
    std::chrono::nanoseconds longest_sleep = std::chrono::milliseconds(100);
  };

  /// Port and end live longer.
  Driver(GroupPort& port, End& end, const Options& options);

  /// Does what there is to do now. Does not block. False: there was nothing.
  bool step();
  /// Goes on until `finished`, which is asked after everything that has happened; it may throw. Blocks.
  void run_until(const std::function<bool()>& finished);

 private:
  bool look(std::chrono::nanoseconds timeout);
  bool serve();
  void wait();
  [[nodiscard]] std::chrono::nanoseconds time_to_sleep() const;
  [[nodiscard]] bool is_due() const;

  GroupPort& port_;
  End& end_;
  Options options_;
  Patience patience_;
  GroupPort::Ready ready_;
  std::vector<pollfd> events_;
};

}  // namespace nasvm::multicast
