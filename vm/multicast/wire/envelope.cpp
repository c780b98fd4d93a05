#include "vm/multicast/wire/envelope.hpp"

#include "vm/little_endian.hpp"

namespace nasvm::multicast {
namespace {

using little_endian::get;
using little_endian::put;

constexpr std::byte magic{'M'};
constexpr unsigned version = 1;
constexpr unsigned mark_authenticated = 1, mark_to_all = 2, mark_of_set_up = 4;
constexpr std::size_t from_at = 2, label_at = 4, counter_at = 8;

}  // namespace

void encode(const GroupEnvelope& envelope, std::span<std::byte> out) {
  const unsigned marks = (envelope.authenticated ? mark_authenticated : 0) | (envelope.to_all ? mark_to_all : 0) |
                         (envelope.of_set_up ? mark_of_set_up : 0);
  out[0] = magic;
  out[1] = static_cast<std::byte>(version << 4 | marks);
  put(out, from_at, envelope.from);
  put(out, label_at, envelope.label);
  put(out, counter_at, envelope.counter, 6);
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
  envelope.from = get<std::uint16_t>(datagram, from_at);
  envelope.label = get<std::uint32_t>(datagram, label_at);
  envelope.counter = get<std::uint64_t>(datagram, counter_at, 6);
  return envelope;
}

}  // namespace nasvm::multicast
