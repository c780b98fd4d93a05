#pragma once
/// \file
/// The initial field in the fused engine's layout: see initial.hpp for the field itself.

#include <cstdint>

#include "kernels/ft/problem.hpp"

namespace nasvm::ft {

/// Writes strip `strip` of plane z of the initial field: for each x a block of the rows y = strip + q ny / 8. A
/// generator for each row, side by side.
void fill_strip(const Grid& grid, std::int64_t z, std::int64_t strip, double* blocks);

}  // namespace nasvm::ft
