#pragma once
/// \file
/// Measures a channel between two tasks at one message size: ping-pong, a stream one way, streams both ways.
///
/// - Ping-pong: one side (the leader) sends a message and receives one of the same length; the other echoes. A round
///   trip is one sample, its half is the latency.
/// - Stream: the leader sends a window of messages at once, the other side receives them all and answers one byte. A
///   window with its answer is one sample.
/// - Both ways: each side sends a window and receives one at the same time.
///
/// The leader decides how often and says so to the other side, so a side needs to know only sizes and Effort. Nothing
/// is allocated between the first and the last clock reading of a sample.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/commands/p2p/pair/channel.hpp"
#include "harness/commands/p2p/pair/record.hpp"
#include "harness/measuring/effort.hpp"
#include "vm/metrics/clock.hpp"

namespace nasvm {

/// Messages in a window of that size: 64, fewer where they would hold more than 16 MiB.
int window_of(const Effort& effort, std::uint64_t bytes);

/// Buffers that messages of that size take turns in: as many as the effort says, fewer where they would hold more
/// than 256 MiB.
int buffers_of(const Effort& effort, std::uint64_t bytes);

/// Which end of the channel.
enum class Side { leader, follower };

class Meter {
 public:
  /// Takes memory for messages of up to `most_bytes`. The channel must outlive it.
  Meter(Channel& channel, Side side, const Effort& effort, std::uint64_t most_bytes);
  ~Meter();
  Meter(const Meter&) = delete;
  Meter& operator=(const Meter&) = delete;

  /// Measures one size; both sides call it with the same one. The leader's record has the figures and says whether
  /// data arrived wrong at this side; the follower's says only the latter. Blocks; throws what the channel throws.
  P2pRecord measure(std::uint64_t bytes);

  /// What arrived wrong here since the beginning, one line each; the first of each size and pattern.
  [[nodiscard]] const std::vector<std::string>& complaints() const { return complaints_; }

 private:
  struct Work;
  struct Pattern;
  struct Samples {
    std::int64_t iterations = 0;
    double total_s = 0;
    std::vector<double> seconds;  ///< for each iteration
  };

  static const Pattern ping_pong;
  static const Pattern stream;
  static const Pattern both_ways;

  Samples run(const Pattern& pattern);
  Samples lead(const Pattern& pattern);
  void follow(const Pattern& pattern);
  double batch(const Pattern& pattern, std::int64_t iterations);
  void announce(std::int64_t iterations);
  std::int64_t hear();
  void prepare(std::uint64_t bytes);
  void check_last(const Pattern& pattern);
  void check_transfers();
  void compare(const char* where, std::span<const std::byte> got, unsigned seed);

  Channel& channel_;
  Side side_;
  Effort effort_;
  std::unique_ptr<Work> work_;
  std::vector<Ticks> ticks_;  ///< of the iterations of the last batch
  std::vector<std::string> complaints_;
  bool wrong_ = false;  ///< at the present size
};

}  // namespace nasvm
