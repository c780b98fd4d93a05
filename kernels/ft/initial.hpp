#pragma once
/// \file
/// The initial field U: complex numbers from the NAS random numbers, real part first, x fastest, then y, z.

#include <cstdint>

#include "kernels/ft/layout.hpp"

namespace nasvm::ft {

/// Writes this task's plane `plane` (counted from 0) of U into `space`. Any plane by any thread, in any order.
void fill_plane(const Layout& layout, std::int64_t plane, Complex* space);

}  // namespace nasvm::ft
