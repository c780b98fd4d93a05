#pragma once
/// \file
/// The sender's window: packets that have left and that not every receiver is known to have, and which of them are to
/// leave again. It keeps numbers, not bytes: the message stays in place. Nothing allocates after construction.
///
/// A packet that somebody misses leaves again once, however many ask for it: who asks has to have seen a transmission
/// later than the packet's last, or some while has to have gone by since that (suppression at the sender: Lane,
/// Daniels, Yuan, An Empirical Study of Reliable Multicast Protocols, section 3, NAK-based protocols).

#include <cstdint>
#include <optional>
#include <vector>

#include "vm/multicast/window/bit_ring.hpp"
#include "vm/multicast/window/transmissions.hpp"

namespace nasvm::multicast {

class SendWindow {
 public:
  explicit SendWindow(std::uint32_t packets);

  [[nodiscard]] std::uint32_t base() const { return base_; }  ///< all before it is where it has to be
  [[nodiscard]] std::uint32_t next() const { return next_; }  ///< the first that has not left
  [[nodiscard]] bool full() const { return next_ - base_ >= packets_; }
  [[nodiscard]] std::uint32_t packets() const { return packets_; }

  /// The next packet that is to leave again, if any.
  [[nodiscard]] std::optional<std::uint32_t> repair() const;
  /// The packet of that number, next() or an earlier one, leaves. Returns the transmission's number.
  std::uint32_t leave(std::uint32_t sequence, TimePoint now);
  /// A packet without data leaves.
  std::uint32_t leave(TimePoint now) { return transmissions_.add(now); }
  [[nodiscard]] const Transmissions& transmissions() const { return transmissions_; }

  /// Somebody who has seen transmission `seen`, if that counts, has not got these. What left at `old_enough` or
  /// before is sent again whatever was seen. Returns how many are to leave again that were not yet.
  std::uint32_t miss(Range range, std::optional<std::uint32_t> seen, TimePoint old_enough);
  /// All before `sequence` is where it has to be; not beyond next().
  void release(std::uint32_t sequence);
  /// Nobody is left to wait for, or to send to: all before `sequence` counts as having arrived.
  void skip(std::uint32_t sequence);

 private:
  [[nodiscard]] bool left_before(std::uint32_t number, TimePoint time) const;

  std::uint32_t packets_;
  std::uint32_t base_ = 0;
  std::uint32_t next_ = 0;
  BitRing again_;
  std::uint32_t waiting_ = 0;        ///< bits of again_ that are set
  std::uint32_t repair_from_ = 0;    ///< none before it waits
  std::vector<std::uint32_t> last_;  ///< transmission of each packet, by place in the ring
  Transmissions transmissions_;
};

}  // namespace nasvm::multicast
