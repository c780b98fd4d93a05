#pragma once
/// \file
/// The initial field in the fused engine's layout: see fftw/initial.hpp for the field itself.

#include <cstdint>

#include "kernels/ft/problem.hpp"

namespace nasvm::ft {

/// Writes strip `strip` of plane z of the initial field: for each x a block of the rows y = strip + q ny / 8. A
/// generator for each row, side by side.
/// Reference loop: for q: for x: blocks[x][q] = U[z][strip + q ny / 8][x]. Operations: 4 for each of its nx points.
/// Bytes: 128 nx written, to the cache.
void fill_strip(const Grid& grid, std::int64_t z, std::int64_t strip, double* blocks);

}  // namespace nasvm::ft
