#pragma once
/// \file
/// Two ping-pongs of one task at the same time, each with a peer of its own: whoever's answer has come gets the next
/// message. What the two cost each other depends on how the task's waiting divides its looks among their transports.
///
/// Source: Foster, Geisler, Kesselman and Tuecke, "Managing Multiple Communication Methods in High-Performance
/// Networked Computing Systems", section 5.1: the benchmark ppmulti (Figures 6 and 7), there with the pairs in two
/// programs.

#include <array>
#include <cstdint>
#include <vector>

#include "harness/commands/p2p/record.hpp"
#include "harness/measuring/effort.hpp"
#include "vm/comm.hpp"
#include "vm/metrics/clock.hpp"

namespace nasvm {

/// Ranks of the three tasks.
inline constexpr Rank mixed_middle = 0;
inline constexpr Rank mixed_cheap = 1;      ///< reached by the first transport
inline constexpr Rank mixed_expensive = 2;  ///< reached by the second
inline constexpr int mixed_tasks = 3;

class MixedMeter {
 public:
  /// For messages of up to `most_bytes`; in the task in the middle. The Comm must outlive it.
  MixedMeter(Comm& comm, const Effort& effort, std::uint64_t most_bytes);

  /// One-way times of one of the two.
  struct Side {
    std::int64_t round_trips = 0;
    Latency latency;
  };
  /// Goes on until the first has made its round trips, whose number depends on its pace or is the effort's, and the
  /// second a few. The first, then the second. Blocks.
  std::array<Side, 2> measure(std::uint64_t bytes);

  /// Tells both peers that there is nothing more to come.
  void stop();

 private:
  struct Player {
    Rank peer = 0;
    std::vector<std::byte> out, in;
    Request sent;
    Ticks begun = 0;
    std::vector<double> round_trips_s;
  };

  double play(std::uint64_t bytes, std::int64_t round_trips);
  void serve(Player& player, std::uint64_t bytes);

  Comm& comm_;
  Effort effort_;
  std::array<Player, 2> players_;
  std::array<Request, 2> answers_;
};

/// What both peers do until they are told to stop: send everything back. Blocks.
void echo(Comm& comm, std::uint64_t most_bytes);

}  // namespace nasvm
