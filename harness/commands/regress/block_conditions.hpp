#pragma once
/// \file
/// Conditions of launches that take turns: which blocks are taken again, and what is said of it. Pure
/// (docs/decisions/regress.md).
///
/// Decided by what probes have measured beside a side's own launches, and alike for both sides: what is left is to
/// the coin as all blocks are, and the signed-rank test stays exact, also where the probes of two builds measure
/// differently.

#include <cstddef>
#include <string>
#include <vector>

#include "harness/conditions/conditions.hpp"

namespace nasvm {

/// Were the launches of each side taken under the same conditions as each other? Those without conditions are like
/// all. What changes once within a block is seen by the outer side, whose launches are the first and the last.
bool is_steady_block(SampledSide baseline, SampledSide candidate);

/// Blocks of one case whose conditions changed.
struct ChangedBlocks {
  std::size_t again = 0;    ///< set apart, and taken again
  std::size_t counted = 0;  ///< they count, as enough have been taken again

  bool operator==(const ChangedBlocks&) const = default;
};

/// Is a block to be set apart? One whose conditions changed is, until half as many as are wanted by the next look
/// have been: where they always change, the case is decided all the same.
/// Adds it to `changed`.
bool is_set_apart(SampledSide baseline, SampledSide candidate, std::size_t wanted, ChangedBlocks& changed);

/// Lines for people: the conditions of the samples of both sides, and whether they differ. None where nothing is
/// known.
std::vector<std::string> condition_lines_of(SampledSide baseline, SampledSide candidate);

/// A line for people on blocks of all cases, `blocks` of which count; empty when nothing changed.
std::string text_of(const ChangedBlocks& changed, std::size_t blocks);

}  // namespace nasvm
