#include "vm/multicast/packet.hpp"

#include <algorithm>
#include <concepts>

namespace nasvm::multicast {
namespace {

template <std::unsigned_integral T>
void put(std::span<std::byte> bytes, std::size_t at, T value) {
  for (std::size_t i = 0; i < sizeof(T); ++i) bytes[at + i] = static_cast<std::byte>(value >> (8 * i));
}

template <std::unsigned_integral T>
T get(std::span<const std::byte> bytes, std::size_t at) {
  T value = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i) value |= static_cast<T>(std::to_integer<T>(bytes[at + i]) << (8 * i));
  return value;
}

bool is_sound(const Packet& packet) {
  if (packet.kind < Packet::Kind::data || packet.kind > Packet::Kind::repair) return false;
  if (packet.kind != Packet::Kind::data) return true;
  return packet.offset <= packet.message_bytes && packet.payload.size() <= packet.message_bytes - packet.offset;
}

}  // namespace

std::vector<std::byte> encode(const Packet& packet) {
  std::vector<std::byte> bytes(header_bytes + packet.payload.size());
  bytes[0] = static_cast<std::byte>(packet.kind);
  bytes[1] = static_cast<std::byte>(packet.flags);
  put(bytes, 4, packet.message);
  put(bytes, 8, packet.sequence);
  put(bytes, 12, packet.count);
  put(bytes, 16, packet.offset);
  put(bytes, 24, packet.message_bytes);
  std::ranges::copy(packet.payload, bytes.begin() + header_bytes);
  return bytes;
}

std::optional<Packet> decode(std::span<const std::byte> bytes) {
  if (bytes.size() < header_bytes) return std::nullopt;
  Packet packet;
  packet.kind = static_cast<Packet::Kind>(bytes[0]);
  packet.flags = std::to_integer<std::uint8_t>(bytes[1]);
  packet.message = get<std::uint32_t>(bytes, 4);
  packet.sequence = get<std::uint32_t>(bytes, 8);
  packet.count = get<std::uint32_t>(bytes, 12);
  packet.offset = get<std::uint64_t>(bytes, 16);
  packet.message_bytes = get<std::uint64_t>(bytes, 24);
  packet.payload = bytes.subspan(header_bytes);
  return is_sound(packet) ? std::optional(packet) : std::nullopt;
}

}  // namespace nasvm::multicast
