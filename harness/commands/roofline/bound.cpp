#include "harness/commands/roofline/bound.hpp"

#include <algorithm>
#include <vector>

#include "vm/status.hpp"

namespace nasvm {
namespace {

/// The limits of the best fitting number of cores, in their order: near caches first.
std::vector<LimitRecord> limits_for(int cores, std::span<const LimitRecord> limits) {
  int measured = 0;
  for (const LimitRecord& limit : limits) {
    if (limit.cores <= cores) measured = std::max(measured, limit.cores);
  }
  std::vector<LimitRecord> fitting;
  std::ranges::copy_if(limits, std::back_inserter(fitting),
                       [&](const LimitRecord& limit) { return limit.cores == measured; });
  return fitting;
}

bool is_compute(const LimitRecord& limit) { return limit.what == compute_limit; }

double bandwidth(const LimitRecord& limit) { return std::max(limit.read_gb_s, limit.triad_gb_s); }

/// The nearest level that holds so much; the last one holds everything.
const LimitRecord* level_that_holds(double bytes, const std::vector<LimitRecord>& limits) {
  const LimitRecord* last = nullptr;
  for (const LimitRecord& limit : limits) {
    if (is_compute(limit)) continue;
    last = &limit;
    if (limit.bytes > 0 && bytes <= static_cast<double>(limit.bytes)) break;
  }
  return last;
}

}  // namespace

Bound bound_of(const WorkRecord& work, int cores, std::span<const LimitRecord> limits) {
  const std::vector<LimitRecord> fitting = limits_for(cores, limits);
  const auto compute = std::ranges::find_if(fitting, is_compute);
  const LimitRecord* level = level_that_holds(work.working_set_bytes, fitting);
  if (compute == fitting.end() || level == nullptr || compute->gflop_s <= 0 || bandwidth(*level) <= 0) {
    throw UsageError("the document has no limits of the machine: nasvm roofline measures them");
  }
  Bound bound;
  bound.level = level->what;
  bound.compute_s = work.operations * 1e-9 / compute->gflop_s;
  bound.transfer_s = work.bytes * 1e-9 / bandwidth(*level);
  return bound;
}

}  // namespace nasvm
