#pragma once
/// \file
/// When MG's variant `paper` sends the border planes that an operation has made.
/// Source: White, Alund and Sunderam, Performance of the NAS Parallel Benchmarks on PVM-Based Networks,
/// section 5.2.2.

#include <array>
#include <cstddef>
#include <string_view>

namespace nasvm::mg {

enum class MessageOrder : std::size_t {
  overlapped,  ///< border planes are computed first, and travel while the others are computed
  plain,       ///< all planes are computed, then borders are exchanged
  token,       ///< as plain, but one task at a time sends: who has the token, which goes round the ring
};

/// In the order of the enumeration; first is what the paper's tables were measured with.
inline constexpr std::array<std::string_view, 3> message_orders{"overlapped", "plain", "token"};

}  // namespace nasvm::mg
