#include "harness/measuring/median_interval.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace nasvm {

Interval median_interval(std::span<const double> sample) {
  constexpr double risk_of_each_side = 0.025;
  std::vector<double> values(sample.begin(), sample.end());
  std::ranges::sort(values);
  const auto n = static_cast<double>(values.size());
  std::size_t skipped = 0;
  double risk = 0;  // that the median lies below values[skipped]
  for (std::size_t below = 0; below < values.size() / 2; ++below) {
    const auto k = static_cast<double>(below);
    risk += std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1) - n * std::log(2.0));
    if (risk > risk_of_each_side) break;
    skipped = below;
  }
  return {median(sample), values[skipped], values[values.size() - 1 - skipped]};
}

}  // namespace nasvm
