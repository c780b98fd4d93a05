#include "vm/multicast/wire/envelope.hpp"

namespace nasvm::multicast {
namespace {

constexpr std::byte magic{'M'};
constexpr unsigned version = 1;
constexpr unsigned mark_authenticated = 1, mark_to_all = 2, mark_of_set_up = 4;
constexpr std::size_t from_at = 2, label_at = 4, counter_at = 8;

void put(std::span<std::byte> out, std::size_t at, std::size_t width, std::uint64_t value) {
  for (std::size_t i = 0; i < width; ++i) out[at + i] = static_cast<std::byte>(value >> (8 * i));
}

std::uint64_t get(std::span<const std::byte> in, std::size_t at, std::size_t width) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < width; ++i) value |= std::to_integer<std::uint64_t>(in[at + i]) << (8 * i);
  return value;
}

}  // namespace

void encode(const GroupEnvelope& envelope, std::span<std::byte> out) {
  const unsigned marks = (envelope.authenticated ? mark_authenticated : 0) | (envelope.to_all ? mark_to_all : 0) |
                         (envelope.of_set_up ? mark_of_set_up : 0);
  out[0] = magic;
  out[1] = static_cast<std::byte>(version << 4 | marks);
  put(out, from_at, 2, envelope.from);
  put(out, label_at, 4, envelope.label);
  put(out, counter_at, 6, envelope.counter);
}

std::optional<GroupEnvelope> decode_envelope(std::span<const std::byte> datagram) {
  if (datagram.size() < envelope_bytes || datagram[0] != magic) return std::nullopt;
  const auto second = std::to_integer<unsigned>(datagram[1]);
  const unsigned marks = second & 0xf;
  if (second >> 4 != version || marks > (mark_authenticated | mark_to_all | mark_of_set_up)) return std::nullopt;
  GroupEnvelope envelope;
  envelope.authenticated = (marks & mark_authenticated) != 0;
  envelope.to_all = (marks & mark_to_all) != 0;
  envelope.of_set_up = (marks & mark_of_set_up) != 0;
  envelope.from = static_cast<std::uint16_t>(get(datagram, from_at, 2));
  envelope.label = static_cast<std::uint32_t>(get(datagram, label_at, 4));
  envelope.counter = get(datagram, counter_at, 6);
  return envelope;
}

}  // namespace nasvm::multicast
