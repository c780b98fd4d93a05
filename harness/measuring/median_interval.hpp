#pragma once
/// \file
/// How well the median of what was measured is known.

#include <span>

#include "harness/statistics.hpp"

namespace nasvm {

/// The interval in which the median of what a sample was drawn from lies with 95 % confidence, whatever its
/// distribution: two of the sample's values, as far from the middle as the binomial distribution asks for (Conover,
/// "Practical Nonparametric Statistics", section 3.2). Fewer than six measurements cannot say so much: the smallest
/// and the largest. The estimate is the sample's median. An empty sample is a programmer's mistake
/// (std::invalid_argument).
Interval median_interval(std::span<const double> sample);

}  // namespace nasvm
