#pragma once
/// \file
/// Packets of several sources that leave by one way: each source gets the same share of the bytes, and what comes
/// from one that has used little of its share leaves soon. So a short message passes between the packets of streams.
/// Of one source, first in is first out, but data let pass what net::may_pass_data says.
///
/// Start-time fair queueing (Goyal, Vin, Cheng, Start-time Fair Queueing, SIGCOMM 1996, section 2): a packet's start
/// is where the one before it of its source ends, counted in that source's bytes, but not before the start of the
/// packet that is leaving; the packet with the least start is next.

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "vm/net/packet.hpp"

namespace nasvm::daemon {

class FairQueue {
 public:
  [[nodiscard]] bool empty() const { return next_ == nullptr; }
  void push(net::Packet& packet, Tid source);
  /// Who is next; the same until `pop`. Nothing when empty.
  [[nodiscard]] net::Packet* front() const { return next_ == nullptr ? nullptr : next_->packets.front(); }
  net::Packet& pop();

 private:
  struct Lane {
    net::PacketQueue packets;
    std::uint64_t start = 0;  ///< of its first packet, or where its last one has ended
  };

  void choose();

  std::unordered_map<std::uint32_t, Lane> lanes_;  ///< by source; those since the queue was last empty
  std::vector<Lane*> active_;                      ///< those with packets, in the order of their coming
  Lane* next_ = nullptr;
};

}  // namespace nasvm::daemon
