#include "vm/protocol/protocol.hpp"

namespace nasvm::protocol {

Envelope control_envelope(Tid source, Tid destination, std::size_t text_bytes) {
  Envelope envelope;
  envelope.kind = PacketKind::control;
  envelope.source = source.value;
  envelope.destination = destination.value;
  envelope.message_bytes = text_bytes;
  envelope.payload_bytes = static_cast<std::uint32_t>(text_bytes);
  return envelope;
}

std::string_view type_of(const Message& message) {
  return std::visit([](const auto& content) { return content.type; }, message);
}

void refuse(std::string_view type) {
  throw RunError("a control message of type \"" + std::string(type) + "\" has come where it is not expected");
}

}  // namespace nasvm::protocol
