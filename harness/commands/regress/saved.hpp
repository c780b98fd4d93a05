#pragma once
/// \file
/// The rule for saved documents, whose samples were not taken in turns (docs/decisions/regress.md). Pure.
///
/// For each case let r be the factor by which the new side is worse, t its tolerance. From ranks (Mann and Whitney):
///   slower     "r is 1 + t or less" is rejected by Holm's procedure over all cases. Where a side comes from one
///   launch,
///              1 + t is multiplied by what launches of one build differ by themselves (one_launch_factor);
///   fine       "r is 1 + t or more" is rejected; of launches as they were, whatever others would have been;
///   undecided  otherwise, or with too few samples.
/// Only samples count that were taken under the same conditions; documents of different machines say nothing of
/// times.

#include <span>
#include <string>
#include <vector>

#include "harness/commands/regress/sequential.hpp"
#include "harness/commands/regress/verdict.hpp"

namespace nasvm {

/// Between launches of one build on one machine, where every launch has its own places in memory and its own cores:
/// repeats inside a launch do not show it (results/regress/).
inline constexpr double one_launch_factor = 1.10;

/// On each side, at least.
inline constexpr std::size_t least_samples = 5;

struct SavedRule {
  Tolerances tolerances{};
  Risks risks{};
  bool forced = false;  ///< other machines and conditions count as the same
};

/// What differs between the machines that matters for times, "cpu Xeon instead of EPYC"; empty: they are the same, as
/// far as both documents say.
std::string machine_difference(const MachineRecord& before, const MachineRecord& now);

/// Judges the documents of both sides, at least one of each. A side of several documents, or of one that says so
/// (whole_launches), has launches as samples. Throws UsageError: nothing to compare, no case in common, tolerances of
/// other cases.
Judgement judge_saved(std::span<const Source> baseline, std::span<const Source> candidate, const SavedRule& rule,
                      std::span<const CommandRow> commands);

}  // namespace nasvm
