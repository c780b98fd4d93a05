#include "kernels/ft/fused/line_transform.hpp"

#include <bit>
#include <cassert>
#include <cmath>
#include <numbers>
#include <span>

namespace nasvm::ft {
namespace {

constexpr std::int64_t last_radix = 8;

/// e^{-2 pi i k / n}, rounded once.
std::array<double, 2> root(std::int64_t k, std::int64_t n) {
  const long double angle =
      -2 * std::numbers::pi_v<long double> * static_cast<long double>(k % n) / static_cast<long double>(n);
  return {static_cast<double>(std::cos(angle)), static_cast<double>(std::sin(angle))};
}

/// w_m^{jq} of a stage, for each j and q = 1 .. radix - 1.
void make_twiddles(std::int64_t points, std::int64_t radix, std::vector<double>& table) {
  table.clear();
  for (std::int64_t j = 0; j < points / radix; ++j) {
    for (std::int64_t q = 1; q < radix; ++q) {
      const auto [re, im] = root(j * q, points);
      table.insert(table.end(), {re, im});
    }
  }
}

/// All radices but the last: 8 (4 for 32 points) first, then what remains.
std::vector<std::int64_t> choose_radices(std::int64_t points) {
  std::int64_t rest = points / last_radix;
  std::vector<std::int64_t> radices{rest >= 8 ? 8 : 4};
  rest /= radices.front();
  while (rest > 1) {
    // No stage of two points where two of four do.
    radices.push_back(rest == 16 || rest == 4 ? 4 : std::min<std::int64_t>(rest, 8));
    rest /= radices.back();
  }
  return radices;
}

}  // namespace

LineTransform::LineTransform(std::int64_t points) : points_(points) {
  assert(points >= 32 && std::has_single_bit(static_cast<std::uint64_t>(points)));
  std::int64_t remaining = points;
  for (const std::int64_t radix : choose_radices(points)) {
    stages_.push_back({radix, remaining, {}});
    remaining /= radix;
  }
  assert(remaining == last_radix);
  make_roots();
  first_radix_ = stages_.front().radix;
  part_points_ = points / parts();
  for (std::int64_t k = 0; k < part_points_ / last_radix; ++k) {
    std::int64_t start = 0;
    std::int64_t digits = k;
    for (const Stage& stage : std::span(stages_).subspan(in_parts ? 1 : 0)) {
      start += digits % stage.radix * (stage.points / stage.radix);
      digits /= stage.radix;
    }
    group_start_.push_back(start);
  }
}

void LineTransform::make_roots() {
  for (Stage& stage : stages_) make_twiddles(stage.points, stage.radix, stage.twiddles);
}

template <std::size_t radix>
void LineTransform::run_stage(const Stage& stage, std::int64_t points, const double* from, double* to) {
  const std::int64_t step = stage.points / static_cast<std::int64_t>(radix);
  const double* twiddle = stage.twiddles.data();
  for (std::int64_t j = 0; j < step; ++j, twiddle += 2 * (radix - 1)) {
    for (std::int64_t start = j; start < points; start += stage.points) {
      Points<radix> p;
      for (std::size_t t = 0; t < radix; ++t) p[t] = read(from, start + static_cast<std::int64_t>(t) * step);
      butterfly(p);
      write(to, start, p[0]);
      for (std::size_t q = 1; q < radix; ++q) {
        write(to, start + static_cast<std::int64_t>(q) * step, times(p[q], twiddle + 2 * (q - 1)));
      }
    }
  }
}

const double* LineTransform::run_middle(const double* part, double* room) const {
  const double* from = part;
  for (const Stage& stage : std::span(stages_).subspan(1)) {
    if (stage.radix == 8) run_stage<8>(stage, part_points_, from, room);
    else if (stage.radix == 4) run_stage<4>(stage, part_points_, from, room);
    else run_stage<2>(stage, part_points_, from, room);
    from = room;
  }
  return from;
}

}  // namespace nasvm::ft
