#pragma once
/// \file
/// Round-trip time of a path and the timeouts that follow from it.
///
/// Smoothed mean, deviation and retransmission timeout as RFC 6298, section 2 has them, with a floor and a
/// ceiling for local networks; the time threshold of loss detection as RFC 9002, section 6.1.2.

#include <chrono>

#include "vm/link/wire.hpp"

namespace nasvm::link {

class RttEstimator {
 public:
  struct Options {
    Duration initial_timeout = std::chrono::milliseconds(200);
    Duration min_timeout = std::chrono::milliseconds(5);
    Duration max_timeout = std::chrono::seconds(1);         ///< unless the path itself takes as long
    Duration longest_timeout = std::chrono::seconds(3);     ///< however long it seems to take
    Duration max_ack_delay = std::chrono::milliseconds(1);  ///< what the peer may hold an acknowledgement back
  };

  explicit RttEstimator(const Options& options) : options_(options) {}

  void add(Duration sample);
  [[nodiscard]] bool known() const { return known_; }
  [[nodiscard]] Duration smoothed() const { return smoothed_; }
  [[nodiscard]] Duration minimum() const { return minimum_; }
  /// What the last sample took beyond the shortest: time in queues.
  [[nodiscard]] Duration queueing() const { return latest_ - minimum_; }
  /// Retransmission timeout after `backoff` timeouts in a row.
  [[nodiscard]] Duration timeout(int backoff) const;
  /// A datagram is lost when one sent later has arrived and it is older than this.
  [[nodiscard]] Duration loss_threshold() const;

 private:
  Options options_;
  bool known_ = false;
  Duration smoothed_{};
  Duration deviation_{};
  Duration minimum_{};
  Duration latest_{};
};

}  // namespace nasvm::link
