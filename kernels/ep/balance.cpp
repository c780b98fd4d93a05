#include "kernels/ep/balance.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "vm/comm.hpp"

namespace nasvm::ep {
namespace {

/// Eight slices of Linux's scheduler, which are 3 ms at most (0.75 ms x (1 + log2 of up to 8 processors),
/// kernel/sched/fair.c): so many that another program on the core shows in the speed. The paper's pilot took
/// 10 s, of runs of minutes.
constexpr double pilot_s = 0.025;

double total_weight(std::span<const double> weights) {
  const bool positive =
      std::all_of(weights.begin(), weights.end(), [](double weight) { return weight > 0 && std::isfinite(weight); });
  if (weights.empty() || !positive) throw std::invalid_argument("weights must be positive numbers");
  return std::accumulate(weights.begin(), weights.end(), 0.0);
}

}  // namespace

std::vector<std::int64_t> proportional_parts(std::int64_t items, std::span<const double> weights) {
  const double total = total_weight(weights);
  std::vector<std::int64_t> parts;
  std::vector<double> remainders;
  for (const double weight : weights) {
    const double exact = static_cast<double>(items) * (weight / total);
    parts.push_back(static_cast<std::int64_t>(std::floor(exact)));
    remainders.push_back(exact - std::floor(exact));
  }
  std::vector<std::size_t> by_remainder(weights.size());
  std::iota(by_remainder.begin(), by_remainder.end(), std::size_t{0});
  std::stable_sort(by_remainder.begin(), by_remainder.end(),
                   [&](std::size_t a, std::size_t b) { return remainders[a] > remainders[b]; });
  const std::int64_t left = items - std::accumulate(parts.begin(), parts.end(), std::int64_t{0});
  for (std::int64_t i = 0; i < left; ++i) ++parts[by_remainder[static_cast<std::size_t>(i) % parts.size()]];
  return parts;
}

Range range_of(std::span<const std::int64_t> parts, int owner) {
  const auto before = parts.first(static_cast<std::size_t>(owner));
  const std::int64_t begin = std::accumulate(before.begin(), before.end(), std::int64_t{0});
  return {begin, begin + parts[static_cast<std::size_t>(owner)]};
}

double measure_speed(TallyLoop loop, int threads) {
  const Ticks begin = ticks_now();
  std::int64_t batches = 0;
  double elapsed_s = 0;
  while (elapsed_s < pilot_s) {
    tally(loop, {0, 4 * threads}, threads);
    batches += 4 * threads;
    elapsed_s = to_seconds(ticks_now() - begin);
  }
  return static_cast<double>(batches) / elapsed_s;
}

}  // namespace nasvm::ep
