#pragma once
/// \file
/// The initial field U: complex numbers from the NAS random numbers, real part first, x fastest, then y, z.
///
/// Reference loop: for z: for y: for x: U[z][y][x] = (r, r'), the next two uniforms. Operations: 4 for each point.
/// Bytes: 16 written for each.

#include <cstdint>

#include "kernels/ft/fftw/layout.hpp"

namespace nasvm::ft {

/// Writes this task's plane `plane` (counted from 0) of U into `space`. Any plane by any thread, in any order.
void fill_plane(const Layout& layout, std::int64_t plane, Complex* space);

}  // namespace nasvm::ft
