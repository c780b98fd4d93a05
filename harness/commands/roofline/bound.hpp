#pragma once
/// \file
/// How fast a kernel could be on a machine of known limits: the roofline model (Williams, Waterman, Patterson,
/// "Roofline: An Insightful Visual Performance Model for Multicore Architectures", Communications of the ACM 52(4),
/// 2009), with the roof of the storage level that holds the kernel's arrays.

#include <span>
#include <string>

#include "harness/commands/roofline/record.hpp"

namespace nasvm {

/// What limits a run, and to what.
struct Bound {
  std::string level;      ///< where its data come from: "L1", "L2", "L3", "memory"
  double compute_s = 0;   ///< all operations at the peak of multiply-adds
  double transfer_s = 0;  ///< all bytes at the level's bandwidth, read or triad, whichever is higher
  [[nodiscard]] bool by_compute() const { return compute_s >= transfer_s; }
  [[nodiscard]] double seconds() const { return by_compute() ? compute_s : transfer_s; }
  /// "compute", or the level.
  [[nodiscard]] std::string what() const { return by_compute() ? "compute" : level; }
};

/// The bound of that work on `cores` cores. Limits are taken of that number of cores, else of the next smaller one
/// that was measured. Throws UsageError when there are none.
Bound bound_of(const WorkRecord& work, int cores, std::span<const LimitRecord> limits);

}  // namespace nasvm
