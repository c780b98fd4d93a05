#pragma once
/// \file
/// The largest of many errors, for tests. std::max would pass over those that are NaN.

#include <cmath>

namespace nasvm::test {

/// The larger one; NaN if one is.
inline double worse(double a, double b) { return std::isnan(a) || a >= b ? a : b; }

}  // namespace nasvm::test
