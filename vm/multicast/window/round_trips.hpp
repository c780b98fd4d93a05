#pragma once
/// \file
/// How long it takes from a packet's leaving until a receiver's word on it is there, over all receivers, with the
/// time in queues on the way and what receivers need to answer; and the time-outs that follow from it.

#include <algorithm>
#include <vector>

#include "vm/link/rtt_estimator.hpp"
#include "vm/multicast/window/feedback.hpp"
#include "vm/multicast/window/transmissions.hpp"

namespace nasvm::multicast {

class RoundTrips {
 public:
  /// `fixed_timeout`: 0 to measure. `path_timeout`: what the path alone takes; hosts take their time on short ones.
  RoundTrips(int nodes, Duration fixed_timeout, Duration path_timeout = {})
      : fixed_timeout_(fixed_timeout),
        estimator_(options_for(path_timeout)),
        seen_(static_cast<std::size_t>(nodes), Transmissions::none) {}

  /// A node's word, less the time for which it had nothing to say. What it says twice measures nothing.
  void report(Node from, const Feedback& feedback, const Transmissions& transmissions, TimePoint now) {
    std::uint32_t& last = seen_[static_cast<std::size_t>(from)];
    if (!before(last, feedback.seen)) return;
    last = feedback.seen;
    const auto left = transmissions.left_at(feedback.seen);
    if (left && *left + feedback.held <= now) estimator_.add(now - feedback.held - *left);
  }
  /// Who has not answered by then has not heard, or was not heard, for the `silences`th time in a row.
  [[nodiscard]] Duration timeout(int silences) const {
    return fixed_timeout_.count() > 0 ? fixed_timeout_ : estimator_.timeout(silences);
  }

 private:
  static link::RttEstimator::Options options_for(Duration path_timeout) {
    return {.initial_timeout = std::max<Duration>(std::chrono::milliseconds(20), path_timeout),
            .min_timeout = std::chrono::milliseconds(1),
            .max_timeout = std::chrono::milliseconds(500),
            .max_ack_delay = Duration{}};
  }

  Duration fixed_timeout_;
  link::RttEstimator estimator_;
  std::vector<std::uint32_t> seen_;  ///< by node
};

}  // namespace nasvm::multicast
