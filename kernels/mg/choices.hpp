#pragma once
/// \file
/// How long the strips of the finest grid's sweep are (sweep.hpp), and why: two lengths are tried in each run, the
/// usual one and one for a core's own cache.

#include <cstdint>

#include "kernels/common/tuning_choice.hpp"

namespace nasvm::mg {

/// Rows of the strips that can be taken in a grid.
struct StripRows {
  int usual = 0;
  int shorter = 0;  ///< not less than usual: there is nothing to be tried

  [[nodiscard]] bool differ() const { return shorter < usual; }
};
/// Those for a grid of that edge, where a core has a cache of so many bytes for itself.
[[nodiscard]] StripRows strip_rows_for(int edge, std::uint64_t own_cache_bytes);

/// Seconds of a sweep with each.
struct SweepTimes {
  double usual_s = 0;
  double shorter_s = 0;
};
/// The shorter strips where they are clearly faster.
[[nodiscard]] int faster_strip(const StripRows& rows, const SweepTimes& times);

[[nodiscard]] TuningChoice tried_strips(const StripRows& rows, const SweepTimes& times);
/// Where they do not differ.
[[nodiscard]] TuningChoice untried_strips(const StripRows& rows);
/// Before any run, where a core has a cache of so many bytes for itself.
[[nodiscard]] TuningChoices choices_for(std::uint64_t own_cache_bytes);
/// On this processor. Takes milliseconds.
[[nodiscard]] TuningChoices choices();

}  // namespace nasvm::mg
