#pragma once
/// \file
/// How runs of kernels scale: speed-up, and the efficiencies of the POP project (Performance Optimisation and
/// Productivity, pop-coe.eu/node/69, "POP Standard Metrics for Parallel Performance Analysis") with their split:
///
///     global efficiency   = parallel efficiency x computation scalability
///     parallel efficiency = load balance x communication efficiency
///     load balance             = mean useful time / largest useful time
///     communication efficiency = largest useful time / run time
///     computation scalability  = useful time of all tasks at the reference / the same here
///
/// A task's useful time is its timed region without the time inside message-layer calls; the means and largest are
/// over tasks. The reference is the smallest number of tasks, of these the one on the fewest hosts.

#include <limits>
#include <span>
#include <string>
#include <vector>

#include "harness/kernel_runs/run_cases.hpp"

namespace nasvm {

/// Seconds that the tasks of one run computed.
struct UsefulTime {
  double mean_s = 0;
  double max_s = 0;
};

/// Not numbers where the record has no tasks.
UsefulTime useful_time(const RunRecord& run);

/// One case of a series. Figures are those of the medians of its repeats, so that the products above hold; not
/// numbers where a result was wrong, the reference's too.
struct ScalingPoint {
  static constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

  Case repeats;
  int np = 1;
  int hosts = 0;  ///< that its tasks were on
  double time_s = unknown;
  UsefulTime useful{unknown, unknown};
  double speedup = unknown;
  double computation_scalability = unknown;

  [[nodiscard]] const RunRecord& run() const { return *repeats.records.front(); }
  [[nodiscard]] double load_balance() const { return useful.mean_s / useful.max_s; }
  [[nodiscard]] double communication_efficiency() const { return useful.max_s / time_s; }
  [[nodiscard]] double parallel_efficiency() const { return useful.mean_s / time_s; }
  [[nodiscard]] double global_efficiency() const { return parallel_efficiency() * computation_scalability; }
};

/// Runs of one kernel, class, number of threads, variant and transport in one document, by the number of hosts that
/// was asked for, then by the number of tasks. Never none.
struct ScalingSeries {
  std::size_t source = 0;
  std::vector<ScalingPoint> points;
  std::size_t reference = 0;  ///< its position

  [[nodiscard]] const RunRecord& run() const { return points.front().run(); }
};

/// May runs be points of one curve, their transport and document aside?
bool is_same_problem(const RunRecord& a, const RunRecord& b);

/// Kernel by kernel in their order, then by the transports' first occurrence, then by document. Points into the
/// documents.
std::vector<ScalingSeries> scaling_series(std::span<const Source> sources);

/// Was anything run at more than one size?
bool has_sizes(const std::vector<ScalingSeries>& series);

}  // namespace nasvm
