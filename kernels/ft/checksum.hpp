#pragma once
/// \file
/// The checksum of a solution, and the comparison with the official ones.

#include <span>

#include "kernels/ft/layout.hpp"

namespace nasvm::ft {

/// This task's part of (1 / points) * sum_{j=1..1024} X[j mod nx, 3j mod ny, 5j mod nz].
Complex checksum_share(const Layout& layout, const Complex* space);

/// What comes of comparing checksums with the official ones.
struct Verification {
  bool verified = false;   ///< every error is within the tolerance
  double worst_error = 0;  ///< greatest |(sum - reference) / reference|; NaN if any error is
};

/// Both of the same length: std::invalid_argument otherwise.
Verification verify(std::span<const Complex> checksums, std::span<const Complex> reference);

}  // namespace nasvm::ft
