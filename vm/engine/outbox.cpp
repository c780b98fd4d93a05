#include "vm/engine/outbox.hpp"

namespace nasvm::engine {

void Outbox::send_control(Rank peer, const Envelope& control) {
  if (peers_[peer].is_gone()) return;
  if (controls_.empty()) controls_.push_back(std::make_unique<net::Packet>());
  std::unique_ptr<net::Packet> packet = std::move(controls_.back());
  controls_.pop_back();
  packet->envelope = control;
  packet->envelope.source = peers_[peers_.self()].tid.value;
  packet->envelope.destination = peers_[peer].tid.value;
  packet->envelope.credit = take_credit(peer);
  packet->payload = nullptr;
  packet->owner = nullptr;
  hand_over(*peers_[peer].route(control.context).transport, peer, *packet.release());
}

}  // namespace nasvm::engine
