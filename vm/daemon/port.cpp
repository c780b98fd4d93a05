#include "vm/daemon/port.hpp"

#include <cstring>
#include <string>
#include <utility>

#include "vm/protocol/protocol.hpp"

namespace nasvm::daemon {

ControlText::ControlText(const protocol::Message& message) {
  const std::string text = protocol::to_text(message);
  bytes = text.size();
  body = std::make_shared_for_overwrite<std::byte[]>(bytes);
  std::memcpy(body.get(), text.data(), bytes);
}

void Port::send_text(Tid source, Tid destination, const ControlText& text, Tid lane) {
  auto frame = std::make_unique<Frame>();
  frame->envelope = protocol::control_envelope(source, destination, text.bytes);
  frame->body = text.body;
  frame->payload = frame->body.get();
  frame->lane = lane;
  send(std::move(frame));
}

}  // namespace nasvm::daemon
