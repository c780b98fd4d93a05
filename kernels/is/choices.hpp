#pragma once
/// \file
/// How IS splits keys by owner where they move, how many at a time, how they come to where others read them, and why.

#include <cstdint>

#include "kernels/common/tuning_choice.hpp"
#include "kernels/is/packing.hpp"
#include "kernels/is/splitting.hpp"

namespace nasvm::is {

/// Among that many owners, on a processor that has those instructions.
[[nodiscard]] TuningChoice splitting_choice(int owners, const Instructions& instructions);
/// With a first-level cache of so many bytes.
[[nodiscard]] TuningChoice chunk_choice(std::uint64_t first_level_bytes);
/// Seconds of a ranking with keys that go straight to where others read them, and with keys that are gathered first.
struct PackingTimes {
  double straight_s = 0;
  double past_cache_s = 0;
};
/// Straight where that is clearly faster: it can become much slower during a run.
[[nodiscard]] KeyPacker::Way faster_packing(const PackingTimes& times);
[[nodiscard]] TuningChoice tried_packing(const PackingTimes& times);
/// Where keys travel in messages.
[[nodiscard]] TuningChoice untried_packing();
/// In a run of that many tasks on this one; one task splits nothing.
[[nodiscard]] TuningChoices choices_of_run(int tasks);
/// On this one, with few tasks.
[[nodiscard]] TuningChoices choices();

}  // namespace nasvm::is
