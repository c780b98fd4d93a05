#pragma once
/// \file
/// A way to broadcast that stands above the messages of a Comm (multicast, for instance). Comm asks it for each
/// broadcast, and takes its own algorithm where the answer is no.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "vm/endpoint.hpp"

namespace nasvm {

class Comm;

class BroadcastMethod {
 public:
  virtual ~BroadcastMethod() = default;

  /// Is that how messages of so many bytes reach the members of `comm`? Depends only on what is equal on all of them.
  [[nodiscard]] virtual bool suits(const Comm& comm, std::size_t bytes) const = 0;
  /// Which way such a broadcast takes between hosts, for people: "nak", or "messages" (Comm's own algorithm), with
  /// whom multicast does not reach: "nak (no multicast to 2 of 3 hosts)". Empty: none, all its tasks are on one host,
  /// or it is a part of another broadcast. Said by the root, after the first.
  [[nodiscard]] virtual std::string way(const Comm& comm, Rank root, std::size_t bytes) const = 0;
  /// Broadcasts among them; every member calls it. Blocks. What it sends by Comms is not counted: Comm counts the
  /// payload once for each receiver. Returns how long this member has waited while nothing of the message had come.
  /// Throws RunError when the machine fails.
  virtual Ticks broadcast(Comm& comm, std::span<std::byte> data, Rank root) = 0;
  /// That Comm is about to go.
  virtual void forget(const Comm& comm) noexcept = 0;
};

}  // namespace nasvm
