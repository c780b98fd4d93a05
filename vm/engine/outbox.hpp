#pragma once
/// \file
/// Packets on their way out of a task: hands them to transports, counts those that have not left, and keeps the
/// short ones without payload by which the two ends of a message agree.

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "vm/engine/peers.hpp"
#include "vm/net/packet_stream.hpp"

namespace nasvm::engine {

/// The envelope of a packet without payload; Outbox::send_control fills in who it is from and for.
inline Envelope control_of(PacketKind kind, Context context, std::uint32_t sender_id = 0) {
  Envelope envelope;
  envelope.kind = kind;
  envelope.context = context;
  envelope.sender_id = sender_id;
  return envelope;
}

class Outbox {
 public:
  explicit Outbox(Peers& peers) : peers_(peers) {}

  /// The transport has the packet from here on; its packet_sent may come before this returns.
  void hand_over(Transport& transport, Rank peer, net::Packet& packet) {
    ++under_way_;
    transport.send(peer, packet);
  }
  /// Sends a packet without payload, unless the peer has ended. Credit that is owed to it rides along.
  void send_control(Rank peer, const Envelope& control);
  /// The credit that is owed to a peer, which is going to be told now.
  [[nodiscard]] std::uint32_t take_credit(Rank peer) {
    return static_cast<std::uint32_t>(std::exchange(peers_[peer].credit_owed, 0));
  }

  /// A packet has left. True: it was one without payload, and nobody else needs to know.
  bool take_back(net::Packet& packet) {
    --under_way_;
    if (packet.owner != nullptr) return false;
    controls_.emplace_back(&packet);
    return true;
  }
  /// Has everything left?
  [[nodiscard]] bool empty() const { return under_way_ == 0; }

 private:
  Peers& peers_;
  std::size_t under_way_ = 0;
  std::vector<std::unique_ptr<net::Packet>> controls_;  ///< to be used again
};

}  // namespace nasvm::engine
