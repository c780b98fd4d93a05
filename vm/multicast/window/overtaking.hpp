#pragma once
/// \file
/// How long a receiver waits before it asks for a packet that later ones have overtaken: not at all on ways that keep
/// order, and as long as packets have been late on others (after RFC 8985, section 6.2: the reordering window, which
/// is nothing until reordering is seen). A packet of an earlier transmission than the one that showed the gap was
/// late; a repair is of a later one, and shows that asking was right. Pure bookkeeping.

#include <algorithm>

#include "vm/multicast/multicast.hpp"

namespace nasvm::multicast {

class Overtaking {
 public:
  /// Who has to wait longer than this for what was overtaken asks for it.
  static constexpr Duration longest_wait = std::chrono::milliseconds(5);

  [[nodiscard]] Duration wait() const { return wait_; }
  /// One came so long after it was overtaken.
  void was_late(Duration lateness) { wait_ = std::max(wait_, std::min(lateness + lateness / 2, longest_wait)); }
  /// One was lost.
  void was_lost() { wait_ -= wait_ / 16; }

 private:
  Duration wait_{};
};

}  // namespace nasvm::multicast
