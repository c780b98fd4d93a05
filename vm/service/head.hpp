#pragma once
/// \file
/// The head in front of every request: what it is for, and the room that it gives back. 32 bytes, little-endian
/// (the paper's header has as many: Foster et al., Managing Multiple Communication Methods, section 5.1).

#include <cstddef>
#include <cstdint>
#include <span>

#include "vm/little_endian.hpp"

namespace nasvm::service {

enum class Kind : std::uint8_t {
  request = 1,
  failure,  ///< of the request `number`: its data says why
  credit,   ///< nothing but room given back, and questions for it
};

struct Head {
  static constexpr std::size_t bytes_on_wire = 32;
  /// Data up to here goes with its head; longer data is a message of its own.
  static constexpr std::size_t longest_inline = 4096 - bytes_on_wire;

  Kind kind = Kind::request;
  bool sealed = false;
  bool asks = false;     ///< say when all that has come from me by now has been carried out
  bool replies = false;  ///< that is so
  std::uint32_t endpoint = 0;
  std::uint32_t handler = 0;
  std::uint32_t number = 0;   ///< of the request, at its asker
  std::uint32_t answers = 0;  ///< the endpoint for answers at the asker, + 1; 0: none
  std::uint32_t credit = 0;   ///< units of requests that have been carried out since the last head
  std::uint64_t bytes = 0;    ///< of the data

  [[nodiscard]] bool is_inline() const { return bytes <= longest_inline; }
  void put(std::span<std::byte, bytes_on_wire> out) const {
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
  /// What does not depend on when it is sent: no room, no questions.
  [[nodiscard]] Head lasting() const {
    Head head = *this;
    head.asks = head.replies = false;
    head.credit = 0;
    return head;
  }
  /// Throws RunError for what is none.
  static Head get(std::span<const std::byte> in) {
    Head head;
    const auto first = in.size() < bytes_on_wire ? 0U : little_endian::get<std::uint32_t>(in, at_kind);
    head.kind = static_cast<Kind>(first & 0xffU);
    if (head.kind < Kind::request || head.kind > Kind::credit) complain_of_kind();
    head.sealed = (first & sealed_bit) != 0;
    head.asks = (first & asks_bit) != 0;
    head.replies = (first & replies_bit) != 0;
    head.endpoint = little_endian::get<std::uint32_t>(in, at_endpoint);
    head.handler = little_endian::get<std::uint32_t>(in, at_handler);
    head.number = little_endian::get<std::uint32_t>(in, at_number);
    head.answers = little_endian::get<std::uint32_t>(in, at_answers);
    head.credit = little_endian::get<std::uint32_t>(in, at_credit);
    head.bytes = little_endian::get<std::uint64_t>(in, at_bytes);
    if (head.is_inline() && in.size() != bytes_on_wire + head.bytes) complain_of_length();
    return head;
  }

 private:
  // Places on the wire, and bits above the kind.
  static constexpr std::size_t at_kind = 0, at_endpoint = 4, at_handler = 8, at_number = 12, at_answers = 16,
                               at_credit = 20, at_bytes = 24;
  static constexpr std::uint32_t sealed_bit = 1U << 8, asks_bit = 1U << 9, replies_bit = 1U << 10;

  [[noreturn]] static void complain_of_kind();
  [[noreturn]] static void complain_of_length();
};

}  // namespace nasvm::service
