#include "vm/link/rtt_estimator.hpp"

#include <algorithm>

namespace nasvm::link {
namespace {

// Clocks and wake-ups of an ordinary system are not finer than this.
constexpr Duration granularity = std::chrono::milliseconds(1);

}  // namespace

void RttEstimator::add(Duration sample) {
  latest_ = sample;
  if (!known_) {
    known_ = true;
    smoothed_ = minimum_ = sample;
    deviation_ = sample / 2;
    return;
  }
  minimum_ = std::min(minimum_, sample);
  deviation_ += (std::chrono::abs(smoothed_ - sample) - deviation_) / 4;
  smoothed_ += (sample - smoothed_) / 8;
}

Duration RttEstimator::timeout(int backoff) const {
  Duration timeout = options_.initial_timeout;
  if (known_) {
    timeout = smoothed_ + std::max(granularity, 4 * deviation_) + options_.max_ack_delay;
    timeout = std::max(timeout, options_.min_timeout);
  }
  const Duration ceiling = std::max(options_.max_timeout, std::min(timeout, options_.longest_timeout));
  for (int i = 0; i < backoff && timeout < ceiling; ++i) timeout *= 2;
  return std::min(timeout, ceiling);
}

Duration RttEstimator::loss_threshold() const {
  const Duration round_trip = known_ ? std::max(smoothed_, latest_) : options_.initial_timeout;
  return std::max(round_trip + round_trip / 8, granularity);
}

}  // namespace nasvm::link
