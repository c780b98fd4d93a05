#include "vm/daemon/port.hpp"

#include <cstring>
#include <utility>

#include "vm/protocol/protocol.hpp"

namespace nasvm::daemon {

void Port::send_control(Tid source, Tid destination, const protocol::Message& message, Tid lane) {
  const std::string text = protocol::to_text(message);
  auto frame = std::make_unique<Frame>();
  frame->envelope = protocol::control_envelope(source, destination, text.size());
  frame->body = std::make_shared_for_overwrite<std::byte[]>(text.size());
  std::memcpy(frame->body.get(), text.data(), text.size());
  frame->payload = frame->body.get();
  frame->lane = lane;
  send(std::move(frame));
}

}  // namespace nasvm::daemon
