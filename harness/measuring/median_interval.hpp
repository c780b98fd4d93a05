#pragma once
/// \file
/// How well the median of what was measured is known.

#include <cstdint>
#include <span>

#include "harness/statistics.hpp"

namespace nasvm {

/// Of fewer measurements not even the smallest and the largest are 95 % sure to have the median between them.
inline constexpr std::int64_t least_for_median_interval = 6;

constexpr bool are_enough_for_median_interval(std::int64_t measurements) {
  return measurements >= least_for_median_interval;
}

/// The interval in which the median of what a sample was drawn from lies with 95 % confidence, whatever its
/// distribution: two of the sample's values, as far from the middle as the binomial distribution asks for (Conover,
/// "Practical Nonparametric Statistics", section 3.2). Of too few for that: the smallest and the largest. The
/// estimate is the sample's median. An empty sample is a programmer's mistake (std::invalid_argument).
Interval median_interval(std::span<const double> sample);

}  // namespace nasvm
