#pragma once
/// \file
/// The right-hand side of MG: fill the grid with uniform random numbers, x fastest; the 10 largest become charges of
/// +1, the 10 smallest of -1, everything else is 0. Source: The NAS Parallel Benchmarks, RNR-94-007, section 2.2.2.

#include <array>
#include <cstdint>

#include "kernels/common/partition.hpp"
#include "kernels/mg/grid.hpp"
#include "vm/comm.hpp"

namespace nasvm::mg {

inline constexpr std::size_t charges_per_sign = 10;

/// Positions in the whole grid: (z * edge + y) * edge + x.
struct Charges {
  std::array<std::uint64_t, charges_per_sign> positive{};
  std::array<std::uint64_t, charges_per_sign> negative{};
};

/// Finds the charges: each task searches its own planes, then all compare. Collective over `comm`, the same on every
/// task. The planes of all tasks together must be the whole grid of edge^3 points, at least 20.
Charges find_charges(Comm& comm, int edge, Range planes, int threads);

/// Puts the charges into those planes that `grid` has, halo included; the rest is left as it is.
void place(const Charges& charges, Grid& grid);

}  // namespace nasvm::mg
