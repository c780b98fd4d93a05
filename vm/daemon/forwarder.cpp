#include "vm/daemon/forwarder.hpp"

#include "vm/protocol/protocol.hpp"
#include "vm/status.hpp"

namespace nasvm::daemon {
namespace {

/// Tasks cut messages into packets of 256 KiB at most; control texts can be longer. Longer packets are refused.
constexpr std::size_t longest_packet = protocol::max_control_bytes;

}  // namespace

/// Memory for a payload. When the last one who shares it is done, its room is free.
Body Forwarder::store(const Envelope& envelope) {
  if (landlord_ == nullptr || Tid{envelope.destination} == self_) {
    return std::make_shared_for_overwrite<std::byte[]>(envelope.payload_bytes);
  }
  const auto give_back = [landlord = landlord_, destination = Tid{envelope.destination},
                          bytes = net::weight(envelope)](const std::byte* memory) {
    delete[] memory;
    landlord->freed(destination, bytes);
  };
  return {new std::byte[envelope.payload_bytes], give_back};
}

net::Landing Forwarder::begin(const Envelope& envelope, Waiter& input) {
  const Tid destination{envelope.destination};
  if (envelope.payload_bytes > longest_packet) throw RunError("a packet is longer than any that the protocol has");
  if (destination != self_) {
    const auto exits = router_.exits(destination);
    const bool however_full = landlord_ != nullptr || takes_the_rest_;
    for (const Router::Exit& exit : exits) {
      Room& room = exit.port->room_for(exit.destination);
      if (however_full ? !room.is_shut() : !room.full()) continue;
      room.wait(input);
      return {net::Landing::Verdict::hold, nullptr, nullptr};
    }
    if (exits.empty()) {
      if (landlord_ != nullptr) landlord_->freed(destination, net::weight(envelope));
      return {};
    }
  }
  body_ = store(envelope);
  return {net::Landing::Verdict::take, body_.get(), this};
}

void Forwarder::end(const Envelope& envelope, const net::Landing& landing) {
  if (landing.token == nullptr) return;
  const Body body = std::move(body_);
  const Tid destination{envelope.destination};
  if (destination == self_) {
    return handler_.control(envelope, {body.get(), envelope.payload_bytes});
  }
  const std::uint64_t block = router_.share(destination, net::weight(envelope));
  for (const Router::Exit& exit : router_.exits(destination)) {
    auto frame = std::make_unique<Frame>();
    frame->envelope = envelope;
    frame->envelope.destination = exit.destination.value;
    frame->body = body;
    frame->payload = body.get();
    frame->takes_room = landlord_ == nullptr;
    frame->lane = Tid{envelope.source};
    frame->block = block;
    exit.port->send(std::move(frame));
  }
}

}  // namespace nasvm::daemon
