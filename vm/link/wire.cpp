#include "vm/link/wire.hpp"

#include <cassert>

#include "vm/little_endian.hpp"

namespace nasvm::link {
namespace {

using little_endian::get;
using little_endian::put;

// Positions in the header; docs/link.md shows the same table.
constexpr std::size_t at_version = 0;
constexpr std::size_t at_type = 1;
constexpr std::size_t at_source = 2;
constexpr std::size_t at_destination = 4;
constexpr std::size_t at_flags = 6;
constexpr std::size_t at_range_count = 7;
constexpr std::size_t at_counter = 8;
constexpr std::size_t at_sequence = 16;
constexpr std::size_t at_acknowledged = 24;
constexpr std::size_t at_window = 32;
constexpr std::size_t at_timestamp = 36;
constexpr std::size_t at_echo = 40;
constexpr std::size_t at_payload_bytes = 44;

constexpr std::uint8_t flag_answer_at_once = 1;
constexpr std::uint8_t flag_echo_valid = 2;
constexpr std::uint8_t flag_hears_shared = 4;
constexpr std::uint8_t known_flags = flag_answer_at_once | flag_echo_valid | flag_hears_shared;

bool known_type(std::uint8_t type) {
  return type >= static_cast<std::uint8_t>(DatagramType::data) &&
         type <= static_cast<std::uint8_t>(DatagramType::probe);
}

Header header_of(std::span<const std::byte> body) {
  const auto flags = get<std::uint8_t>(body, at_flags);
  return {.type = static_cast<DatagramType>(get<std::uint8_t>(body, at_type)),
          .answer_at_once = (flags & flag_answer_at_once) != 0,
          .echo_valid = (flags & flag_echo_valid) != 0,
          .hears_shared = (flags & flag_hears_shared) != 0,
          .source = get<std::uint16_t>(body, at_source),
          .destination = get<std::uint16_t>(body, at_destination),
          .counter = get<std::uint64_t>(body, at_counter),
          .sequence = get<std::uint64_t>(body, at_sequence),
          .acknowledged = get<std::uint64_t>(body, at_acknowledged),
          .window = get<std::uint32_t>(body, at_window),
          .timestamp = get<std::uint32_t>(body, at_timestamp),
          .echo = get<std::uint32_t>(body, at_echo)};
}

// Ranges travel as two distances from the cumulative acknowledgement, which the window keeps below 2^32.
bool decode_ranges(std::span<const std::byte> body, Datagram& datagram) {
  for (std::size_t i = 0; i < datagram.range_count; ++i) {
    const std::size_t at = header_bytes + i * range_bytes;
    const auto begin = get<std::uint32_t>(body, at);
    const auto end = get<std::uint32_t>(body, at + 4);
    if (begin == 0 || begin >= end) return false;
    datagram.ranges[i] = {datagram.header.acknowledged + begin, datagram.header.acknowledged + end};
  }
  return true;
}

}  // namespace

std::size_t encode(const Header& header, std::span<const Range> ranges, std::size_t payload_bytes,
                   std::span<std::byte> out) {
  assert(ranges.size() <= max_ranges);
  assert(out.size() >= header_bytes + ranges.size() * range_bytes + payload_bytes);
  const int flags = (header.answer_at_once ? flag_answer_at_once : 0) | (header.echo_valid ? flag_echo_valid : 0) |
                    (header.hears_shared ? flag_hears_shared : 0);
  put(out, at_version, wire_version);
  put(out, at_type, static_cast<std::uint8_t>(header.type));
  put(out, at_source, header.source);
  put(out, at_destination, header.destination);
  put(out, at_flags, static_cast<std::uint8_t>(flags));
  put(out, at_range_count, static_cast<std::uint8_t>(ranges.size()));
  put(out, at_counter, header.counter);
  put(out, at_sequence, header.sequence);
  put(out, at_acknowledged, header.acknowledged);
  put(out, at_window, header.window);
  put(out, at_timestamp, header.timestamp);
  put(out, at_echo, header.echo);
  put(out, at_payload_bytes, static_cast<std::uint32_t>(payload_bytes));
  std::size_t at = header_bytes;
  for (const Range& range : ranges) {
    put(out, at, static_cast<std::uint32_t>(range.begin - header.acknowledged));
    put(out, at + 4, static_cast<std::uint32_t>(range.end - header.acknowledged));
    at += range_bytes;
  }
  return at;
}

std::optional<Datagram> decode(std::span<const std::byte> body) {
  if (body.size() < header_bytes || get<std::uint8_t>(body, at_version) != wire_version) return std::nullopt;
  if (!known_type(get<std::uint8_t>(body, at_type))) return std::nullopt;
  if ((get<std::uint8_t>(body, at_flags) & ~known_flags) != 0) return std::nullopt;
  Datagram datagram;
  datagram.header = header_of(body);
  datagram.range_count = get<std::uint8_t>(body, at_range_count);
  if (datagram.range_count > max_ranges) return std::nullopt;
  const std::size_t payload_bytes = get<std::uint32_t>(body, at_payload_bytes);
  const std::size_t payload_at = header_bytes + datagram.range_count * range_bytes;
  if (body.size() != payload_at + payload_bytes) return std::nullopt;
  if ((datagram.header.type == DatagramType::data) != (payload_bytes > 0)) return std::nullopt;
  if (!decode_ranges(body, datagram)) return std::nullopt;
  datagram.payload = body.subspan(payload_at);
  return datagram;
}

Origin origin_of(std::span<const std::byte> body) {
  assert(body.size() >= origin_bytes);
  const bool shared = get<std::uint8_t>(body, at_type) == shared_type;
  return {get<std::uint16_t>(body, at_source), shared ? every_host : get<std::uint16_t>(body, at_destination),
          get<std::uint64_t>(body, at_counter)};
}

}  // namespace nasvm::link
