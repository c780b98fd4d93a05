#include "vm/multicast/packet.hpp"

#include <algorithm>
#include <cassert>

namespace nasvm::multicast {
namespace {

void put(std::span<std::byte> bytes, std::size_t at, std::size_t width, std::uint64_t value) {
  for (std::size_t i = 0; i < width; ++i) bytes[at + i] = static_cast<std::byte>(value >> (8 * i));
}

std::uint64_t get(std::span<const std::byte> bytes, std::size_t at, std::size_t width) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < width; ++i) value |= std::to_integer<std::uint64_t>(bytes[at + i]) << (8 * i);
  return value;
}

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
  put(out, 2, 4, packet.message);
  put(out, 6, 4, packet.sequence);
  put(out, 10, 4, packet.count);
  put(out, 14, 5, packet.offset);
  put(out, 19, 5, packet.message_bytes);
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
  packet.message = static_cast<std::uint32_t>(get(bytes, 2, 4));
  packet.sequence = static_cast<std::uint32_t>(get(bytes, 6, 4));
  packet.count = static_cast<std::uint32_t>(get(bytes, 10, 4));
  packet.offset = get(bytes, 14, 5);
  packet.message_bytes = get(bytes, 19, 5);
  packet.payload = bytes.subspan(header_bytes);
  return is_sound(packet) ? std::optional(packet) : std::nullopt;
}

}  // namespace nasvm::multicast
