#pragma once
/// \file
/// To whom a receiver's acknowledgements go, and for whom else they speak. Here: to the sender, and for itself alone.

#include <cstdint>

#include "vm/multicast/multicast.hpp"

namespace nasvm::multicast {

class Upstream {
 public:
  virtual ~Upstream() = default;
  [[nodiscard]] virtual Node to() const { return sender_node; }
  /// Of what has come here, everything before `own`: how much may be acknowledged.
  [[nodiscard]] virtual std::uint32_t acknowledgeable(std::uint32_t own) const { return own; }
  /// Another receiver says that it has everything before `sequence`.
  virtual void acknowledged(Node /*from*/, std::uint32_t /*sequence*/) {}
  virtual void lost(Node /*node*/) {}
};

}  // namespace nasvm::multicast
