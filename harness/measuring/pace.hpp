#pragma once
/// \file
/// How many iterations a batch that counts has: as many as the user asks for, or as fit into the time for samples at
/// the pace that warming up has found. The same for all messages that are measured.

#include <algorithm>
#include <cstdint>

#include "harness/measuring/effort.hpp"

namespace nasvm {

/// Numbers of iterations.
struct BatchLimits {
  std::int64_t first = 1;  ///< of the first batch that warms up
  std::int64_t least = 1;  ///< of one that counts
  std::int64_t most = 1;   ///< of any
};

/// Part of the time for samples that goes into getting warm and finding out how long an iteration takes.
inline constexpr double warm_up_share = 0.25;

/// Warms up; returns the seconds that an iteration took, 0 when there was none. `batch(iterations)` carries out that
/// many and returns the seconds they took; `agree(number)` returns the number that all tasks go by.
template <typename Batch, typename Agree>
double warm_up(const Effort& effort, const BatchLimits& limits, Batch batch, Agree agree) {
  if (effort.warmup) {
    double total_s = 0;
    for (std::int64_t done = 0; done < *effort.warmup; done += std::min(*effort.warmup - done, limits.most)) {
      total_s += batch(std::min(*effort.warmup - done, limits.most));
    }
    return *effort.warmup == 0 ? 0 : total_s / static_cast<double>(*effort.warmup);
  }
  const double enough_s = effort.sample_time_s * warm_up_share / 2;
  double each_s = 0;
  for (std::int64_t iterations = limits.first; iterations != 0;) {
    const double elapsed_s = batch(iterations);
    each_s = elapsed_s / static_cast<double>(iterations);
    const bool again = elapsed_s < enough_s && iterations < limits.most;
    iterations = agree(again ? std::min(2 * iterations, limits.most) : 0);
  }
  return each_s;
}

/// Warms up; returns how many iterations the batch that counts has.
template <typename Batch, typename Agree>
std::int64_t pace(const Effort& effort, const BatchLimits& limits, Batch batch, Agree agree) {
  double each_s = warm_up(effort, limits, batch, agree);
  if (effort.iterations) return *effort.iterations;
  if (each_s == 0) each_s = batch(1);
  const auto fitting = static_cast<std::int64_t>(effort.sample_time_s / each_s);
  return agree(std::clamp(fitting, limits.least, limits.most));
}

/// Carries out batches that count: one where the user says how many iterations, else one after the other until the
/// time for samples is over, because the pace may have been that of a bad moment. `batch()` returns the seconds it
/// took; `agree` as above. Returns the seconds of all.
template <typename Batch, typename Agree>
double fill_sample(const Effort& effort, Batch batch, Agree agree) {
  double total_s = 0;
  do total_s += batch();
  while (agree(!effort.iterations && total_s < effort.sample_time_s ? 1 : 0) != 0);
  return total_s;
}

/// Where one task decides and the others are told, or find out.
template <typename Batch>
double fill_sample(const Effort& effort, Batch batch) {
  return fill_sample(effort, batch, [](std::int64_t number) { return number; });
}
template <typename Batch>
std::int64_t pace(const Effort& effort, const BatchLimits& limits, Batch batch) {
  return pace(effort, limits, batch, [](std::int64_t number) { return number; });
}

}  // namespace nasvm
