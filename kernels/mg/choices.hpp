#pragma once
/// \file
/// How long the strips of the finest grid's sweep are, how often it asks for planes (sweep.hpp), and why. Both are
/// tried in each run: strips as usual, and for a core's own cache; planes asked for twice, as usual, and thrice.

#include <cstdint>

#include "kernels/common/tuning_choice.hpp"
#include "kernels/mg/sweep.hpp"

namespace nasvm::mg {

/// Rows of the strips that can be taken in a grid.
struct StripRows {
  int usual = 0;
  int shorter = 0;  ///< not less than usual: there is nothing to be tried

  [[nodiscard]] bool differ() const { return shorter < usual; }
};
/// Those for a grid of that edge, where a core has a cache of so many bytes for itself.
[[nodiscard]] StripRows strip_rows_for(int edge, std::uint64_t own_cache_bytes);

/// Seconds of a sweep as usual, and in the other way that is tried.
struct SweepTimes {
  double usual_s = 0;
  double other_s = 0;
};
/// The shorter strips where they are clearly faster.
[[nodiscard]] int faster_strip(const StripRows& rows, const SweepTimes& times);

[[nodiscard]] TuningChoice tried_strips(const StripRows& rows, const SweepTimes& times);
/// Where they do not differ.
[[nodiscard]] TuningChoice untried_strips(const StripRows& rows);
/// Thrice where it is faster.
[[nodiscard]] Asking faster_asking(const SweepTimes& times);
[[nodiscard]] TuningChoice tried_asking(const SweepTimes& times);

/// Before any run, where a core has a cache of so many bytes for itself.
[[nodiscard]] TuningChoices choices_for(std::uint64_t own_cache_bytes);
/// On this processor. Takes milliseconds.
[[nodiscard]] TuningChoices choices();

}  // namespace nasvm::mg
