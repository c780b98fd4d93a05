#pragma once
/// \file
/// A slab of one cubic grid: the planes of one task, with one halo plane below and one above.
///
/// Planes are numbered as in the whole grid; the slab [begin, end) also has begin-1 and end, which mirror planes
/// of the neighbours (plane -1 mirrors the last, plane `edge` the first). A plane is contiguous, so that it is a
/// message as it stands. Large planes are set apart a little, lest the same row of neighbouring planes compete for
/// the same cache sets; small ones are not, so that several of them are one message too.

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <span>

#include "kernels/common/partition.hpp"

namespace nasvm::mg {

class Grid {
 public:
  /// No planes at all.
  Grid() = default;
  /// All zero; each thread touches its planes first. RunError when there is no memory.
  Grid(int edge, Range planes, int threads);

  [[nodiscard]] int edge() const { return edge_; }
  /// Without the halo.
  [[nodiscard]] Range planes() const { return planes_; }
  [[nodiscard]] std::size_t points_per_plane() const { return points(edge_); }

  [[nodiscard]] double* plane(std::int64_t z) { return values_.get() + offset(z); }
  [[nodiscard]] const double* plane(std::int64_t z) const { return values_.get() + offset(z); }
  [[nodiscard]] std::span<double> span(std::int64_t z) { return {plane(z), points_per_plane()}; }
  /// Several planes as one piece; only for grids whose planes lie without gaps (edge below `smallest_apart`).
  [[nodiscard]] std::span<double> span(Range planes);

  void zero(int threads);

  /// Distance between planes, in elements.
  static constexpr std::size_t stride(int edge) { return points(edge) + (edge < smallest_apart ? 0 : gap); }
  static constexpr int smallest_apart = 64;

 private:
  struct Free {
    void operator()(double* memory) const { std::free(memory); }
  };
  static constexpr std::size_t gap = 40;
  static constexpr std::size_t points(int edge) {
    return static_cast<std::size_t>(edge) * static_cast<std::size_t>(edge);
  }
  [[nodiscard]] std::ptrdiff_t offset(std::int64_t z) const {
    return (z - planes_.begin + 1) * static_cast<std::ptrdiff_t>(stride(edge_));
  }

  int edge_ = 0;
  Range planes_{};
  std::unique_ptr<double, Free> values_;
};

}  // namespace nasvm::mg
