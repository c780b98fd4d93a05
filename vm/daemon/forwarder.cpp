#include "vm/daemon/forwarder.hpp"

#include "vm/protocol/protocol.hpp"
#include "vm/status.hpp"

namespace nasvm::daemon {
namespace {

/// Tasks cut messages into packets of 64 KiB; control texts can be longer. Longer packets are refused.
constexpr std::size_t longest_packet = protocol::max_control_bytes;

}  // namespace

net::Landing Forwarder::begin(const Envelope& envelope, Waiter& input) {
  const Tid destination{envelope.destination};
  if (envelope.payload_bytes > longest_packet) throw RunError("a packet is longer than any that the protocol has");
  if (destination != self_) {
    const auto exits = router_.exits(destination);
    if (exits.empty()) return {};
    for (const Router::Exit& exit : exits) {
      if (!exit.port->full()) continue;
      exit.port->wait_for_room(input);
      return {net::Landing::Verdict::hold, nullptr, nullptr};
    }
  }
  body_ = std::make_shared_for_overwrite<std::byte[]>(envelope.payload_bytes);
  return {net::Landing::Verdict::take, body_.get(), this};
}

void Forwarder::end(const Envelope& envelope, const net::Landing& landing) {
  if (landing.token == nullptr) return;
  const Body body = std::move(body_);
  const Tid destination{envelope.destination};
  if (destination == self_) {
    return handler_.control(envelope, {body.get(), envelope.payload_bytes});
  }
  for (const Router::Exit& exit : router_.exits(destination)) {
    auto frame = std::make_unique<Frame>();
    frame->envelope = envelope;
    frame->envelope.destination = exit.destination.value;
    frame->body = body;
    frame->payload = body.get();
    exit.port->send(std::move(frame));
  }
}

}  // namespace nasvm::daemon
