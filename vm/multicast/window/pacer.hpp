#pragma once
/// \file
/// Spreads packets over time, so that they leave at a rate. After a pause, or when it is called late, a few leave at
/// once: the rate holds over any longer time.

#include <algorithm>
#include <cstddef>

#include "vm/multicast/multicast.hpp"

namespace nasvm::multicast {

class Pacer {
 public:
  /// What leaves at once is less than this time's worth: timers of ordinary systems are no finer.
  static constexpr Duration burst = std::chrono::microseconds(500);

  explicit Pacer(double bits_per_second) : bits_per_second_(bits_per_second) {}

  void set_rate(double bits_per_second) { bits_per_second_ = bits_per_second; }
  [[nodiscard]] double rate() const { return bits_per_second_; }  ///< bit/s; 0: no limit
  /// The next packet may leave at this time or later.
  [[nodiscard]] TimePoint next() const { return bits_per_second_ > 0 ? next_ : TimePoint::min(); }
  void sent(std::size_t bytes, TimePoint now) {
    if (bits_per_second_ <= 0) return;
    const std::chrono::duration<double> takes(8.0 * static_cast<double>(bytes) / bits_per_second_);
    next_ = std::max(next_, now - burst) + std::chrono::duration_cast<Duration>(takes);
  }

 private:
  double bits_per_second_;
  TimePoint next_{};
};

}  // namespace nasvm::multicast
