#include "vm/daemon/protocol.hpp"

#include "vm/status.hpp"

namespace nasvm::protocol {

Envelope control_envelope(Tid source, Tid destination, const std::string& text) {
  Envelope envelope;
  envelope.kind = PacketKind::control;
  envelope.source = source.value;
  envelope.destination = destination.value;
  envelope.message_bytes = text.size();
  envelope.payload_bytes = static_cast<std::uint32_t>(text.size());
  return envelope;
}

Json parse(std::span<const std::byte> text) {
  const char* begin = reinterpret_cast<const char*>(text.data());
  Json message = Json::parse(begin, begin + text.size(), nullptr, false);
  if (!message.is_object() || !message.contains("type") || !message["type"].is_string()) {
    throw RunError("a control message is not what the protocol expects: are all programs of the same version?");
  }
  return message;
}

Json to_json(const std::vector<Member>& members) {
  Json json = Json::array();
  for (const Member& member : members) {
    json.push_back({{"tid", member.tid.value}, {"host", member.host}, {"descriptors", member.descriptors}});
  }
  return json;
}

std::vector<Member> members_from_json(const Json& json) {
  std::vector<Member> members;
  for (const Json& entry : json) {
    members.push_back({Tid{entry.at("tid").get<std::uint32_t>()}, entry.at("host").get<std::string>(),
                       entry.at("descriptors").get<DescriptorTable>()});
  }
  return members;
}

}  // namespace nasvm::protocol
