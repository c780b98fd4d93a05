#pragma once
/// \file
/// A member's side of the network that a group's packets travel: sends for an end, and gives it what has come.

#include <functional>

#include "vm/multicast/multicast.hpp"

namespace nasvm::multicast {

class Line : public Network {
 public:
  /// Serves `end` until `done()`, which is asked after everything that has happened. Blocks. Throws RunError when
  /// the machine fails.
  virtual void serve(End& end, const std::function<bool()>& done) = 0;
  /// Packets that were no member's.
  [[nodiscard]] virtual std::uint64_t rejected() const { return 0; }
};

}  // namespace nasvm::multicast
