#pragma once
/// \file
/// The checksum of a solution, and the comparison with the official ones.

#include <functional>
#include <span>

#include "kernels/common/partition.hpp"
#include "kernels/ft/problem.hpp"

namespace nasvm::ft {

/// X at (x, y) of a task's plane, planes counted from the task's first.
using SolutionAt = std::function<Complex(std::int64_t plane, std::int64_t y, std::int64_t x)>;

/// The part of (1 / points) * sum_{j=1..1024} X[j mod nx, 3j mod ny, 5j mod nz] that lies in these planes.
Complex checksum_share(const Grid& grid, const Range& planes, const SolutionAt& solution);

/// What comes of comparing checksums with the official ones.
struct Verification {
  bool verified = false;   ///< every error is within the tolerance
  double worst_error = 0;  ///< greatest |(sum - reference) / reference|; NaN if any error is
};

/// Both of the same length: std::invalid_argument otherwise.
Verification verify(std::span<const Complex> checksums, std::span<const Complex> reference);

}  // namespace nasvm::ft
