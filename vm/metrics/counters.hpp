#pragma once
/// \file
/// What a task's communication has cost so far: volume, messages, communication time, idle time, per peer.
/// Definitions: docs/measuring.md. Counted in Comm alone, above every transport, so that all transports
/// are counted alike. Regions are differences of two snapshots.

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "vm/metrics/clock.hpp"

namespace nasvm {

/// Traffic with one peer.
struct PeerCounters {
  std::uint64_t bytes_sent = 0;
  std::uint64_t bytes_received = 0;
  std::uint64_t messages_sent = 0;
  std::uint64_t messages_received = 0;
};

/// Broadcasts between hosts that went one way.
struct BroadcastCounters {
  std::uint64_t broadcasts = 0;
  std::uint64_t bytes = 0;  ///< of the payloads, each counted once
};

/// One task's counters; `peers` is indexed by world rank.
struct Counters {
  Ticks communication = 0;  ///< inside message-layer calls (an outer call counts, its inner ones do not)
  Ticks idle = 0;           ///< blocked in a receive while nothing of the awaited message has arrived
  std::uint64_t calls = 0;  ///< message-layer calls
  std::vector<PeerCounters> peers;
  /// Of which this task was the root, by the way they took (BroadcastMethod::way); empty where there is no choice.
  std::map<std::string, BroadcastCounters, std::less<>> broadcasts{};

  [[nodiscard]] PeerCounters total() const {
    PeerCounters sum;
    for (const PeerCounters& peer : peers) {
      sum.bytes_sent += peer.bytes_sent;
      sum.bytes_received += peer.bytes_received;
      sum.messages_sent += peer.messages_sent;
      sum.messages_received += peer.messages_received;
    }
    return sum;
  }
};

/// Counters of the region between two snapshots of the same task.
inline Counters operator-(Counters later, const Counters& earlier) {
  later.communication -= earlier.communication;
  later.idle -= earlier.idle;
  later.calls -= earlier.calls;
  for (std::size_t i = 0; i < later.peers.size(); ++i) {
    later.peers[i].bytes_sent -= earlier.peers[i].bytes_sent;
    later.peers[i].bytes_received -= earlier.peers[i].bytes_received;
    later.peers[i].messages_sent -= earlier.peers[i].messages_sent;
    later.peers[i].messages_received -= earlier.peers[i].messages_received;
  }
  for (const auto& [way, counters] : earlier.broadcasts) {
    const auto found = later.broadcasts.find(way);
    found->second.broadcasts -= counters.broadcasts;
    found->second.bytes -= counters.bytes;
    if (found->second.broadcasts == 0) later.broadcasts.erase(found);
  }
  return later;
}

}  // namespace nasvm
