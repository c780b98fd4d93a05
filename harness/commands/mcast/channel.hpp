#pragma once
/// \file
/// What `nasvm mcast` measures: something that brings a message from rank 0 to all other tasks of a Comm.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "vm/comm.hpp"
#include "vm/multicast/multicast.hpp"

namespace nasvm {

class MulticastChannel {
 public:
  /// What is known of it once it is there. 0: not known.
  struct Facts {
    std::uint64_t packet_bytes = 0;
    std::uint64_t window = 0;
    std::vector<Rank> unreached{};  ///< by IP multicast
    std::uint64_t rejected = 0;     ///< packets of strangers, so far
  };

  virtual ~MulticastChannel() = default;
  /// At rank 0. Blocks until all receivers are known to have it, or, where that cannot be known, to have ended with
  /// it. Throws RunError.
  virtual void send(std::span<const std::byte> message) = 0;
  /// Elsewhere; the message has that length. Blocks until it is complete, or what is lost of it is given up, and what
  /// is to be said about it has been said. Returns when it was complete, by steady_ns(). Throws RunError.
  virtual std::int64_t receive(std::span<std::byte> message) = 0;
  /// Nothing is sent any more. Collective; blocks until all have called it.
  virtual void close() = 0;
  /// At rank 0: what it has sent so far.
  [[nodiscard]] virtual multicast::Counts counts() const = 0;
  [[nodiscard]] virtual Facts facts() const = 0;
  /// Are messages complete only by luck? Then `send` returns when nobody knows of it.
  [[nodiscard]] virtual bool may_lose() const = 0;
  /// Do messages arrive? A yardstick may do less.
  [[nodiscard]] virtual bool delivers() const { return true; }
  /// Which way messages of that length go, and why, where that is chosen for each; otherwise nothing.
  [[nodiscard]] virtual std::string chosen(std::uint64_t /*bytes*/) const { return {}; }
};

}  // namespace nasvm
