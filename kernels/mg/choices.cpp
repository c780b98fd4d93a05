#include "kernels/mg/choices.hpp"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "kernels/mg/sweep.hpp"

namespace nasvm::mg {
namespace {

/// Points of the strips that are tried beside the usual ones: those of eleven planes are 0.7 MB.
constexpr int points_of_short_strip = usual_points_of_strip / 4;
/// What is not faster by this much is not told from chance.
constexpr double clearly = 1.05;

std::string rows_text(int rows) { return fmt::format("{} rows", rows); }

}  // namespace

StripRows strip_rows_for(int edge) {
  return {.usual = std::min(usual_points_of_strip / edge, edge),
          .shorter = std::max(points_of_short_strip / edge, least_rows_of_strip)};
}

int faster_strip(const StripRows& rows, const SweepTimes& times) {
  return times.usual_s > clearly * times.shorter_s ? rows.shorter : rows.usual;
}

TuningChoice tried_strips(const StripRows& rows, const SweepTimes& times) {
  return {
      "strips", rows_text(faster_strip(rows, times)),
      fmt::format("in a trial a sweep took {:.3g} ms with {} rows, {:.3g} ms with {}; fewer must be {:.0f} % faster",
                  times.usual_s * 1e3, rows.usual, times.shorter_s * 1e3, rows.shorter, (clearly - 1) * 100)};
}

TuningChoice untried_strips(const StripRows& rows) {
  return {"strips", rows_text(rows.usual), "planes of this grid have no shorter strips"};
}

TuningChoices choices() {
  const auto plane_text = [](int points) { return cache_size_text(points * double{sizeof(double)}); };
  return {{"strips", "by trial",
           fmt::format("in each run: {} or {} of each plane", plane_text(usual_points_of_strip),
                       plane_text(points_of_short_strip))}};
}

}  // namespace nasvm::mg
