#pragma once
/// \file
/// The yardstick of `nasvm reproduce`: as many messages of as many bytes between the same ranks as a kernel has sent,
/// over plain TCP sockets, a connection for each pair, with nothing in between.

#include <chrono>
#include <cstdint>
#include <istream>
#include <string>
#include <vector>

namespace nasvm::lab {

/// What one rank sends to another in all.
struct Traffic {
  std::uint64_t bytes = 0;
  std::uint64_t messages = 0;

  /// Length of a message: all are alike, but for what does not divide evenly.
  [[nodiscard]] std::uint64_t message_bytes(std::uint64_t index) const {
    return bytes * (index + 1) / messages - bytes * index / messages;
  }
};

struct ExchangePlan {
  std::vector<std::string> hosts;             ///< that of each rank
  std::vector<std::vector<Traffic>> traffic;  ///< [from][to]

  [[nodiscard]] int ranks() const { return static_cast<int>(hosts.size()); }
  /// The most messages of any pair.
  [[nodiscard]] std::uint64_t rounds() const;
};

/// Lines "host NAME", one for each rank in their order, then "pair FROM TO BYTES MESSAGES". Throws UsageError.
ExchangePlan read_exchange_plan(std::istream& text);

/// Carries the plan out as that rank; all ranks at once. In each round a rank sends a message to each rank for which
/// it has one left, receives one from each that has one for it, and begins the next round when it has done both, as
/// kernels do with their exchanges. The time from when all have connected until all have finished; of rank 0, others
/// return what they see. Blocks. Throws RunError: no connection within 30 s, a rank has
/// ended, nothing comes for 60 s.
std::chrono::duration<double> exchange(const ExchangePlan& plan, int rank, std::uint16_t port);

}  // namespace nasvm::lab
