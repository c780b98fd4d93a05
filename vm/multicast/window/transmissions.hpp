#pragma once
/// \file
/// Every packet that leaves the sender has a number, counted on whether it leaves for the first time or again. A
/// receiver says which one it saw last: so a report is known to be older or newer than the repair of a packet, and
/// its round trip is measured even in the middle of repairs (after RFC 9002, section 2: no ambiguity of
/// retransmissions).

#include <bit>
#include <cstdint>
#include <optional>
#include <vector>

#include "vm/multicast/multicast.hpp"
#include "vm/multicast/window/sequence.hpp"

namespace nasvm::multicast {

class Transmissions {
 public:
  /// What a receiver that has seen none says.
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  /// Remembers when the last `remembered` left.
  explicit Transmissions(std::uint32_t remembered) : times_(std::bit_ceil(remembered)) {}

  /// One leaves; returns its number.
  std::uint32_t add(TimePoint now) {
    times_[next_ & (times_.size() - 1)] = now;
    return next_++;
  }
  [[nodiscard]] std::uint32_t next() const { return next_; }
  /// Has it left, as far as numbers tell? So has `none`.
  [[nodiscard]] bool has_left(std::uint32_t number) const { return before(number, next_); }
  /// When it left; nothing: too long ago, or never.
  [[nodiscard]] std::optional<TimePoint> left_at(std::uint32_t number) const {
    const std::uint32_t age = next_ - number;
    if (age == 0 || age > times_.size() || age > next_) return std::nullopt;
    return times_[number & (times_.size() - 1)];
  }

 private:
  std::vector<TimePoint> times_;
  std::uint32_t next_ = 0;
};

}  // namespace nasvm::multicast
