#include "vm/service/head.hpp"

#include "vm/little_endian.hpp"
#include "vm/status.hpp"

namespace nasvm::service {
namespace {

// Places in the head.
constexpr std::size_t at_kind = 0, at_endpoint = 4, at_handler = 8, at_number = 12, at_answers = 16, at_credit = 20,
                      at_bytes = 24;

// Bits above the kind.
constexpr std::uint32_t sealed_bit = 1U << 8, asks_bit = 1U << 9, replies_bit = 1U << 10;

}  // namespace

void Head::put(std::span<std::byte, bytes_on_wire> out) const {
  const std::uint32_t first = static_cast<std::uint32_t>(kind) | (sealed ? sealed_bit : 0) | (asks ? asks_bit : 0) |
                              (replies ? replies_bit : 0);
  little_endian::put(out, at_kind, first);
  little_endian::put(out, at_endpoint, endpoint);
  little_endian::put(out, at_handler, handler);
  little_endian::put(out, at_number, number);
  little_endian::put(out, at_answers, answers);
  little_endian::put(out, at_credit, credit);
  little_endian::put(out, at_bytes, bytes);
}

Head Head::lasting() const {
  Head head = *this;
  head.asks = head.replies = false;
  head.credit = 0;
  return head;
}

Head Head::get(std::span<const std::byte> in) {
  Head head;
  const auto first = in.size() < bytes_on_wire ? 0U : little_endian::get<std::uint32_t>(in, at_kind);
  head.kind = static_cast<Kind>(first & 0xffU);
  if (head.kind < Kind::request || head.kind > Kind::credit) throw RunError("what has come is no request");
  head.sealed = (first & sealed_bit) != 0;
  head.asks = (first & asks_bit) != 0;
  head.replies = (first & replies_bit) != 0;
  head.endpoint = little_endian::get<std::uint32_t>(in, at_endpoint);
  head.handler = little_endian::get<std::uint32_t>(in, at_handler);
  head.number = little_endian::get<std::uint32_t>(in, at_number);
  head.answers = little_endian::get<std::uint32_t>(in, at_answers);
  head.credit = little_endian::get<std::uint32_t>(in, at_credit);
  head.bytes = little_endian::get<std::uint64_t>(in, at_bytes);
  if (head.is_inline() && in.size() != bytes_on_wire + head.bytes) throw RunError("a request has come in part");
  return head;
}

}  // namespace nasvm::service
