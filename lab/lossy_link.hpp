#pragma once
/// \file
/// A one-way path for datagrams or frames: seeded loss, duplication, reordering, delay, a rate limit with a queue, a
/// largest size. Its logic alone: time is an argument, so tests run it in virtual time and nasvm-lab-wire in real
/// time. The same seed gives the same run.

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <random>
#include <span>
#include <utility>
#include <vector>

namespace nasvm::lab {

class LossyLink {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;
  using Duration = std::chrono::steady_clock::duration;

  struct Options {
    std::uint64_t seed = 1;
    double loss = 0;         ///< probability that a datagram vanishes
    double duplication = 0;  ///< probability that it arrives twice
    double reordering = 0;   ///< probability that it is late by up to `lateness`
    Duration delay = std::chrono::microseconds(50);
    Duration lateness = std::chrono::microseconds(500);
    double bytes_per_second = 0;  ///< 0: without limit
    std::size_t queue_bytes = 0;  ///< with a rate: what waits; more is dropped
    std::size_t max_bytes = 65507;
    std::size_t transit_bytes = std::numeric_limits<std::size_t>::max();  ///< on the way at once; more is dropped
    /// Says whether to let a datagram through; for chosen losses.
    std::function<bool(std::span<const std::byte>)> filter{};
  };
  struct Stats {
    std::size_t sent = 0;
    std::size_t lost = 0;
    std::size_t duplicated = 0;
    std::size_t late = 0;
    std::size_t too_long = 0;
  };

  explicit LossyLink(const Options& wanted) : options(wanted), random_(wanted.seed) {}

  void send(std::span<const std::byte> datagram, TimePoint now) {
    ++stats.sent;
    if (datagram.size() > options.max_bytes) {
      ++stats.too_long;
    } else if (happens(options.loss) || (options.filter && !options.filter(datagram)) || overflows(datagram, now)) {
      ++stats.lost;
    } else {
      deliver(datagram, now);
      if (happens(options.duplication)) {
        ++stats.duplicated;
        deliver(datagram, now);
      }
    }
  }

  [[nodiscard]] TimePoint next_arrival() const {
    return in_transit_.empty() ? TimePoint::max() : in_transit_.begin()->first;
  }

  /// The next datagram that has arrived by `now`.
  std::optional<std::vector<std::byte>> receive(TimePoint now) {
    if (next_arrival() > now) return std::nullopt;
    auto first = in_transit_.extract(in_transit_.begin());
    bytes_in_transit_ -= first.mapped().size();
    return std::move(first.mapped());
  }

  Options options;  ///< may be changed in mid-run
  Stats stats;

 private:
  bool happens(double probability) { return std::uniform_real_distribution<>(0, 1)(random_) < probability; }

  // A queue before a wire of limited rate: what has not left yet waits.
  bool overflows(std::span<const std::byte> datagram, TimePoint now) {
    if (datagram.size() > options.transit_bytes - std::min(options.transit_bytes, bytes_in_transit_)) return true;
    if (options.bytes_per_second == 0) return false;
    wire_free_ = std::max(wire_free_, now);
    const double waiting = std::chrono::duration<double>(wire_free_ - now).count() * options.bytes_per_second;
    if (waiting + static_cast<double>(datagram.size()) > static_cast<double>(options.queue_bytes)) return true;
    const std::chrono::duration<double> busy(static_cast<double>(datagram.size()) / options.bytes_per_second);
    wire_free_ += std::chrono::duration_cast<Duration>(busy);
    return false;
  }

  void deliver(std::span<const std::byte> datagram, TimePoint now) {
    TimePoint arrival = std::max(now, wire_free_) + options.delay;
    if (happens(options.reordering)) {
      ++stats.late;
      arrival += Duration(std::uniform_int_distribution<Duration::rep>(1, options.lateness.count())(random_));
    }
    bytes_in_transit_ += datagram.size();
    in_transit_.emplace(arrival, std::vector<std::byte>(datagram.begin(), datagram.end()));
  }

  std::mt19937_64 random_;
  std::multimap<TimePoint, std::vector<std::byte>> in_transit_;
  std::size_t bytes_in_transit_ = 0;
  TimePoint wire_free_{};
};

}  // namespace nasvm::lab
