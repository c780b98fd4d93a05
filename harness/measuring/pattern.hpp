#pragma once
/// \file
/// Data by which received bytes are told from any others: they differ between neighbours, between blocks and between
/// seeds.

#include <cstddef>
#include <cstdint>
#include <span>

namespace nasvm {

/// Byte `i` of the data with that seed.
std::byte pattern_byte(std::size_t i, std::uint64_t seed);

void fill_pattern(std::span<std::byte> data, std::uint64_t seed);

/// The opposite of what should arrive: no byte is right by chance.
void spoil_pattern(std::span<std::byte> data, std::uint64_t seed);

/// Position of the first byte that is not the pattern's; the data's size when there is none.
std::size_t first_difference(std::span<const std::byte> data, std::uint64_t seed);

}  // namespace nasvm
