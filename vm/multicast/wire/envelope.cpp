#include "vm/multicast/wire/envelope.hpp"

#include "vm/little_endian.hpp"

namespace nasvm::multicast {
namespace {

using little_endian::put;

constexpr std::byte magic{'M'};
constexpr unsigned version = 1;
constexpr unsigned mark_authenticated = 1, mark_to_all = 2, mark_of_set_up = 4;
constexpr std::size_t from_at = 2, label_at = 4, counter_at = 8, counter_bytes = 6;
static_assert(counter_at + counter_bytes == envelope_bytes);

}  // namespace

void encode(const GroupEnvelope& envelope, std::span<std::byte> out) {
  const unsigned marks = (envelope.authenticated ? mark_authenticated : 0) | (envelope.to_all ? mark_to_all : 0) |
                         (envelope.of_set_up ? mark_of_set_up : 0);
  out[0] = magic;
  out[1] = static_cast<std::byte>(version << 4 | marks);
  put(out, from_at, envelope.from);
  put(out, label_at, envelope.label);
  put(out, counter_at, envelope.counter, counter_bytes);
}

std::optional<GroupEnvelope> decode_envelope(std::span<const std::byte> datagram) {
  if (datagram.size() < envelope_bytes || datagram[0] != magic) return std::nullopt;
  // Two words that overlap, of what the cache has not seen before.
  const std::uint64_t first = little_endian::get<std::uint64_t>(datagram, 0);
  const std::uint64_t last = little_endian::get<std::uint64_t>(datagram, envelope_bytes - sizeof(std::uint64_t));
  const auto second = static_cast<unsigned>(first >> 8 & 0xff);
  const unsigned marks = second & 0xf;
  if (second >> 4 != version || marks > (mark_authenticated | mark_to_all | mark_of_set_up)) return std::nullopt;
  GroupEnvelope envelope;
  envelope.authenticated = (marks & mark_authenticated) != 0;
  envelope.to_all = (marks & mark_to_all) != 0;
  envelope.of_set_up = (marks & mark_of_set_up) != 0;
  envelope.from = static_cast<std::uint16_t>(first >> (8 * from_at));
  envelope.label = static_cast<std::uint32_t>(first >> (8 * label_at));
  envelope.counter = last >> (8 * (sizeof last - counter_bytes));
  return envelope;
}

}  // namespace nasvm::multicast
