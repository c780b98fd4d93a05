#pragma once
/// \file
/// What `nasvm roofline` adds to the result document: limits of the machine, and what the runs had to do.

#include <cstdint>
#include <string>
#include <string_view>

#include "harness/document/records.hpp"

namespace nasvm {

/// What the rate of multiply-adds is called among the limits.
inline constexpr std::string_view compute_limit = "compute";

/// One limit of the first host, as measured: the bandwidth of one storage level, or (`what` is compute_limit) the
/// rate of multiply-adds. 0 for what is not meant.
struct LimitRecord {
  static constexpr std::string_view section = "limits";
  static constexpr Role role = Role::reference;

  std::string what;         ///< "L1", "L2", "L3", "memory", "compute"
  int cores = 1;            ///< how many worked at once
  std::uint64_t bytes = 0;  ///< capacity of the caches of that level that these cores have; 0 for memory
  double read_gb_s = 0;     ///< by all these cores together, 10^9 bytes per second
  double triad_gb_s = 0;
  double gflop_s = 0;

  bool operator==(const LimitRecord&) const = default;
};

/// The work of the timed region of one kernel at one size (kernels/kernel.hpp, Work).
struct WorkRecord {
  static constexpr std::string_view section = "work";
  static constexpr Role role = Role::reference;

  std::string kernel;
  char problem_class = 'S';
  int np = 1;
  std::string variant;
  double operations = 0;
  double bytes = 0;
  double working_set_bytes = 0;

  bool operator==(const WorkRecord&) const = default;
};

void describe(Fields& fields, LimitRecord& limit);
void describe(Fields& fields, WorkRecord& work);
inline bool is_right(const LimitRecord&) { return true; }
inline bool is_right(const WorkRecord&) { return true; }

}  // namespace nasvm
