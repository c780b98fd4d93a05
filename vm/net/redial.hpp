#pragma once
/// \file
/// When to connect again to a process of the machine whose listener others may be crowding: a full queue of the
/// system drops connections silently, and who accepts them pushes the oldest silent ones out (acceptor.hpp). Pure
/// logic: the time is an argument.

#include <algorithm>
#include <chrono>
#include <optional>

namespace nasvm::net {

class Redial {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;
  using Duration = std::chrono::steady_clock::duration;
  struct Options {
    Duration first_pause = std::chrono::milliseconds(10);  ///< after the first failure; doubles
    Duration longest_pause = std::chrono::milliseconds(250);
    Duration first_connect = std::chrono::milliseconds(100);  ///< the system itself repeats after 1 s; doubles
    Duration longest_connect = std::chrono::seconds(8);       ///< as a slow medium's queue may take
    Duration patience = std::chrono::seconds(20);             ///< of all attempts together
    int least_attempts = 8;                                   ///< so many are made however long they take
  };

  Redial() = default;
  explicit Redial(const Options& options) : options_(options) {}

  /// An attempt begins. Until when there should be a connection; who is behind it may take longer to answer.
  TimePoint begin(TimePoint now) {
    if (attempts_++ == 0) since_ = now;
    return now + grown(options_.first_connect, options_.longest_connect);
  }
  /// The attempt has come to nothing. When to begin the next one; nothing when enough has been tried.
  [[nodiscard]] std::optional<TimePoint> fail(TimePoint now) const {
    if (attempts_ >= options_.least_attempts && now - since_ >= options_.patience) return std::nullopt;
    return now + grown(options_.first_pause, options_.longest_pause);
  }
  /// All is well: the next attempt is a first one.
  void reset() { attempts_ = 0; }

 private:
  [[nodiscard]] Duration grown(Duration first, Duration longest) const {
    constexpr int most_doublings = 16;
    return std::min(longest, first * (1 << std::clamp(attempts_ - 1, 0, most_doublings)));
  }

  Options options_{};
  int attempts_ = 0;
  TimePoint since_{};
};

}  // namespace nasvm::net
