#include "kernels/mg/choices.hpp"

#include <algorithm>
#include <bit>
#include <string>

#include <fmt/format.h>

#include "kernels/common/caches.hpp"

namespace nasvm::mg {
namespace {

/// Points of the strips that are tried beside the usual ones: those of eleven planes fit into the core's own cache. A
/// power of two.
int points_of_short_strip(std::uint64_t own_cache_bytes) {
  constexpr std::uint64_t planes = 11;
  const std::uint64_t fitting = std::bit_floor(own_cache_bytes / (planes * sizeof(double)));
  return static_cast<int>(std::min<std::uint64_t>(fitting, usual_points_of_strip));
}

/// What is not faster by this much is not told from chance.
constexpr double clearly = 1.05;
/// The same of asking, which wins or loses less.
constexpr double slightly = 1.02;

std::string rows_text(int rows) { return fmt::format("{} rows", rows); }

}  // namespace

StripRows strip_rows_for(int edge, std::uint64_t own_cache_bytes) {
  return {.usual = std::min(usual_points_of_strip / edge, edge),
          .shorter = std::max(points_of_short_strip(own_cache_bytes) / edge, least_rows_of_strip)};
}

int faster_strip(const StripRows& rows, const SweepTimes& times) {
  return times.usual_s > clearly * times.other_s ? rows.shorter : rows.usual;
}

TuningChoice tried_strips(const StripRows& rows, const SweepTimes& times) {
  return {
      "strips", rows_text(faster_strip(rows, times)),
      fmt::format("in a trial a sweep took {:.3g} ms with {} rows, {:.3g} ms with {}; fewer must be {:.0f} % faster",
                  times.usual_s * 1e3, rows.usual, times.other_s * 1e3, rows.shorter, (clearly - 1) * 100)};
}

TuningChoice untried_strips(const StripRows& rows) {
  return {"strips", rows_text(rows.usual), "there are no shorter ones to be tried in this grid"};
}

Asking faster_asking(const SweepTimes& times) {
  return times.usual_s > slightly * times.other_s ? Asking::thrice : Asking::twice;
}

TuningChoice tried_asking(const SweepTimes& times) {
  return {"asking", faster_asking(times) == Asking::thrice ? "thrice" : "twice",
          fmt::format("in a trial a sweep took {:.3g} ms with planes asked for twice before they are read, {:.3g} ms "
                      "thrice; thrice must be {:.0f} % faster",
                      times.usual_s * 1e3, times.other_s * 1e3, (slightly - 1) * 100)};
}

TuningChoices choices_for(std::uint64_t own_cache_bytes) {
  const auto plane_text = [](int points) { return cache_size_text(points * double{sizeof(double)}); };
  const std::string usual = plane_text(usual_points_of_strip);
  const std::string cache = cache_size_text(static_cast<double>(own_cache_bytes));
  const int shorter = points_of_short_strip(own_cache_bytes);
  const TuningChoice asking{"asking", "by trial",
                            "in each run: planes asked for twice before they are read, or thrice"};
  if (shorter == usual_points_of_strip) {
    return {{"strips", usual + " of each plane", fmt::format("eleven fit into a core's own cache of {}", cache)},
            asking};
  }
  return {{"strips", "by trial",
           fmt::format("in each run: {} of each plane, or {}, for a core's own cache of {}", usual,
                       plane_text(shorter), cache)},
          asking};
}

TuningChoices choices() { return choices_for(own_bytes(caches_here())); }

}  // namespace nasvm::mg
