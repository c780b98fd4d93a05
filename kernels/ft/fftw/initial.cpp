#include "kernels/ft/fftw/initial.hpp"

#include <array>

#include "kernels/common/random.hpp"

namespace nasvm::ft {
namespace {

/// Generators side by side: number k comes from lane k mod lanes, so that the multiplications of one row do
/// not wait for each other.
constexpr std::size_t lanes = 8;

std::uint64_t advance(std::uint64_t state, std::uint64_t multiplier) {
  return (state * multiplier) & NpbRandom::mask;
}

/// Signed, because processors convert signed integers to doubles faster; states have 46 bits.
double uniform(std::uint64_t state) { return static_cast<double>(static_cast<std::int64_t>(state)) * 0x1p-46; }

/// The `count` numbers that follow `state`.
void fill(double* numbers, std::size_t count, std::uint64_t state, std::uint64_t lane_multiplier) {
  std::array<std::uint64_t, lanes> lane{};
  for (std::uint64_t& next : lane) next = state = advance(state, NpbRandom::multiplier);
  const std::size_t whole = count - count % lanes;
  for (std::size_t i = 0; i < whole; i += lanes) {
    for (std::size_t k = 0; k < lanes; ++k) {
      numbers[i + k] = uniform(lane[k]);
      lane[k] = advance(lane[k], lane_multiplier);
    }
  }
  for (std::size_t i = whole; i < count; ++i) numbers[i] = uniform(lane[i - whole]);
}

}  // namespace

void fill_plane(const Layout& layout, std::int64_t plane, Complex* space) {
  const Grid& grid = layout.grid();
  const auto row_numbers = static_cast<std::uint64_t>(2 * grid.nx);
  const std::uint64_t row_multiplier = NpbRandom::power(NpbRandom::multiplier, row_numbers);
  const std::uint64_t lane_multiplier = NpbRandom::power(NpbRandom::multiplier, lanes);
  NpbRandom random(seed);
  random.skip(static_cast<std::uint64_t>(layout.planes().begin + plane) * static_cast<std::uint64_t>(grid.ny) *
              row_numbers);
  std::uint64_t state = random.state();
  for (std::int64_t y = 0; y < grid.ny; ++y) {
    auto* numbers = reinterpret_cast<double*>(space + layout.row_in_space(plane, y));
    fill(numbers, row_numbers, state, lane_multiplier);
    state = advance(state, row_multiplier);
  }
}

}  // namespace nasvm::ft
