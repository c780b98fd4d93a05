#include "kernels/ft/fused/initial_strips.hpp"

#include <array>
#include <bit>
#include <cstring>

#include "kernels/common/random.hpp"
#include "kernels/ft/fused/lanes.hpp"

namespace nasvm::ft {
namespace {

/// States are kept shifted left by 18 bits: products of 64-bit words then are those modulo 2^46.
constexpr int state_shift = 64 - 46;

/// As many as Reals has, also where the processor has no vectors of integers of that length (AVX without AVX2).
using Words [[gnu::vector_size(sizeof(Reals))]] = std::uint64_t;

/// The uniforms of shifted states, exactly: their bits become the fractions of numbers in [1, 2).
[[gnu::always_inline]] inline Reals uniforms(Words states) {
  constexpr std::uint64_t bits_of_one = std::bit_cast<std::uint64_t>(1.0);
  return std::bit_cast<Reals>((states >> 12) | bits_of_one) - 1.0;
}

}  // namespace

void fill_strip(const Grid& grid, std::int64_t z, std::int64_t strip, double* blocks) {
  constexpr std::uint64_t a = NpbRandom::multiplier;
  constexpr std::uint64_t a2 = a * a;
  const auto row_numbers = static_cast<std::uint64_t>(2 * grid.nx);
  const auto rows_between = static_cast<std::uint64_t>(grid.ny / block_lines);
  const std::uint64_t between_rows = NpbRandom::power(a, row_numbers * rows_between);
  NpbRandom first(seed);
  first.skip(static_cast<std::uint64_t>(z * grid.ny + strip) * row_numbers);
  std::array<std::uint64_t, static_cast<std::size_t>(block_lines)> states;
  states.front() = first.state() << state_shift;
  for (std::size_t q = 1; q < states.size(); ++q) states[q] = states[q - 1] * between_rows;
  for (std::int64_t part = 0; part < block_lines; part += vector_lines) {
    Words re;
    std::memcpy(&re, states.data() + part, sizeof(re));
    re *= a;
    Words im = re * a;
    for (std::int64_t x = 0; x < grid.nx; ++x, re *= a2, im *= a2) {
      store_point(blocks + x * block_doubles + part, {uniforms(re), uniforms(im)});
    }
  }
}

}  // namespace nasvm::ft
