#include "vm/link/shared_wire.hpp"

#include <cassert>

#include "vm/little_endian.hpp"

namespace nasvm::link {
namespace {

using little_endian::get;
using little_endian::put;

// Positions in the header; docs/link.md shows the same table. Version, type, source and counter stand where they
// stand in all datagrams.
constexpr std::size_t at_version = 0;
constexpr std::size_t at_type = 1;
constexpr std::size_t at_source = 2;
constexpr std::size_t at_label = 4;
constexpr std::size_t at_counter = 8;
constexpr std::size_t at_timestamp = 16;
constexpr std::size_t at_payload_bytes = 20;
constexpr std::size_t at_flags = 24;
constexpr std::size_t at_entry_count = 25;
constexpr std::size_t offset_bytes = 6;

constexpr std::uint8_t flag_answer_at_once = 1;

}  // namespace

std::size_t encode(const SharedHeader& header, std::span<const SharedEntry> entries, std::size_t payload_bytes,
                   std::span<std::byte> out) {
  assert(entries.size() <= max_shared_entries);
  assert(out.size() >= shared_overhead_bytes(entries.size()) + payload_bytes);
  put(out, at_version, wire_version);
  put(out, at_type, shared_type);
  put(out, at_source, header.source);
  put(out, at_label, header.label);
  put(out, at_counter, header.counter);
  put(out, at_timestamp, header.timestamp);
  put(out, at_payload_bytes, static_cast<std::uint32_t>(payload_bytes));
  put(out, at_flags, static_cast<std::uint8_t>(header.answer_at_once ? flag_answer_at_once : 0));
  put(out, at_entry_count, static_cast<std::uint8_t>(entries.size()));
  std::size_t at = shared_header_bytes;
  for (const SharedEntry& entry : entries) {
    assert(entry.offset < shared_offset_limit);
    put(out, at, entry.host);
    put(out, at + sizeof(entry.host), entry.offset, offset_bytes);
    at += shared_entry_bytes;
  }
  return at;
}

std::optional<SharedDatagram> decode_shared(std::span<const std::byte> body, std::uint16_t host) {
  if (body.size() < shared_header_bytes || get<std::uint8_t>(body, at_version) != wire_version) return std::nullopt;
  if (get<std::uint8_t>(body, at_type) != shared_type) return std::nullopt;
  const auto flags = get<std::uint8_t>(body, at_flags);
  const std::size_t entries = get<std::uint8_t>(body, at_entry_count);
  const std::size_t payload_bytes = get<std::uint32_t>(body, at_payload_bytes);
  if ((flags & ~flag_answer_at_once) != 0 || (entries > 0) != (payload_bytes > 0)) return std::nullopt;
  if (body.size() != shared_overhead_bytes(entries) + payload_bytes) return std::nullopt;
  SharedDatagram datagram{.header = {.answer_at_once = (flags & flag_answer_at_once) != 0,
                                     .source = get<std::uint16_t>(body, at_source),
                                     .label = get<std::uint32_t>(body, at_label),
                                     .counter = get<std::uint64_t>(body, at_counter),
                                     .timestamp = get<std::uint32_t>(body, at_timestamp)},
                          .payload = body.last(payload_bytes)};
  for (std::size_t at = shared_header_bytes; at < shared_overhead_bytes(entries); at += shared_entry_bytes) {
    if (get<std::uint16_t>(body, at) != host) continue;
    datagram.offset = get<std::uint64_t>(body, at + sizeof(host), offset_bytes);
    break;
  }
  return datagram;
}

}  // namespace nasvm::link
