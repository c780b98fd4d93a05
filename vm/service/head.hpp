#pragma once
/// \file
/// The head in front of every request: what it is for, and the room that it gives back. 32 bytes, little-endian
/// (the paper's header has as many: Foster et al., Managing Multiple Communication Methods, section 5.1).

#include <cstddef>
#include <cstdint>
#include <span>

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
  void put(std::span<std::byte, bytes_on_wire> out) const;
  /// What does not depend on when it is sent: no room, no questions.
  [[nodiscard]] Head lasting() const;
  /// Throws RunError for what is none.
  static Head get(std::span<const std::byte> in);
};

}  // namespace nasvm::service
