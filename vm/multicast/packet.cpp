#include "vm/multicast/packet.hpp"

#include <algorithm>
#include <cassert>

#include "vm/little_endian.hpp"

namespace nasvm::multicast {
namespace {

using little_endian::get;
using little_endian::put;

bool is_sound(const Packet& packet) {
  if (packet.kind < Packet::Kind::data || packet.kind > Packet::Kind::repair) return false;
  if (packet.kind != Packet::Kind::data) return true;
  return packet.offset <= packet.message_bytes && packet.payload.size() <= packet.message_bytes - packet.offset;
}

}  // namespace

void write_header(const Packet& packet, std::span<std::byte> out) {
  assert(packet.offset < message_limit && packet.message_bytes < message_limit);
  out[0] = static_cast<std::byte>(packet.kind);
  out[1] = static_cast<std::byte>(packet.flags);
  put(out, 2, packet.message);
  put(out, 6, packet.sequence);
  put(out, 10, packet.count);
  put(out, 14, packet.offset, 5);
  put(out, 19, packet.message_bytes, 5);
}

std::vector<std::byte> encode(const Packet& packet) {
  std::vector<std::byte> bytes(header_bytes + packet.payload.size());
  write_header(packet, bytes);
  std::ranges::copy(packet.payload, bytes.begin() + header_bytes);
  return bytes;
}

std::optional<Packet> decode(std::span<const std::byte> bytes) {
  if (bytes.size() < header_bytes) return std::nullopt;
  Packet packet;
  packet.kind = static_cast<Packet::Kind>(bytes[0]);
  packet.flags = std::to_integer<std::uint8_t>(bytes[1]);
  packet.message = get<std::uint32_t>(bytes, 2);
  packet.sequence = get<std::uint32_t>(bytes, 6);
  packet.count = get<std::uint32_t>(bytes, 10);
  packet.offset = get<std::uint64_t>(bytes, 14, 5);
  packet.message_bytes = get<std::uint64_t>(bytes, 19, 5);
  packet.payload = bytes.subspan(header_bytes);
  return is_sound(packet) ? std::optional(packet) : std::nullopt;
}

}  // namespace nasvm::multicast
