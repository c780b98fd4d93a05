#pragma once
/// \file
/// A bare forwarder between two stream sockets: what a daemon on the way costs at least. Bytes are read and written
/// once more, by a thread that sleeps until there are some; it knows neither messages nor destinations.

#include <array>
#include <cstddef>
#include <thread>

#include "harness/commands/p2p/pair/socket_channel.hpp"

namespace nasvm {

class Forwarder {
 public:
  /// Forwards both ways between the sockets from now on, on the cores that this process's parent may use. Ends when
  /// one of the other ends is closed, which must come before the destructor: that waits for it.
  Forwarder(Socket one, Socket other);

 private:
  /// One way of the two: what has been read and not written.
  class Way {
   public:
    Way(const Socket& from, const Socket& to) : from_(from), to_(to) {}
    /// Moves what can be moved without waiting. False: the other end is gone.
    bool move();
    /// Does it wait for room in its target?
    [[nodiscard]] bool is_full() const { return begin_ != end_; }

   private:
    const Socket& from_;
    const Socket& to_;
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
    std::array<std::byte, std::size_t{64} << 10> bytes_{};
  };

  void run();

  Socket one_;
  Socket other_;
  Way there_{one_, other_};
  Way back_{other_, one_};
  std::jthread thread_;
};

}  // namespace nasvm
