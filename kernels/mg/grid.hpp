#pragma once
/// \file
/// Some planes of one cubic grid: those of one task, with halo planes below and above.
///
/// Planes are numbered as in the whole grid, which is periodic: plane -1 mirrors the last, plane `edge` the first. A
/// plane is contiguous, so that it is a message as it stands, and so are several of them, with the gaps between.
/// The gaps keep the same row of neighbouring planes from competing for the same cache sets; small planes have none.

#include <cstddef>
#include <span>

#include "kernels/checkpoint.hpp"
#include "kernels/common/large_memory.hpp"
#include "kernels/common/partition.hpp"

namespace nasvm::mg {

class Grid {
 public:
  /// No planes at all.
  Grid() = default;
  /// `planes` with the halo; all zero, touched first by the threads that will compute them. RunError when there is no
  /// memory.
  Grid(int edge, Range planes, int threads);

  [[nodiscard]] int edge() const { return edge_; }
  /// All that are stored.
  [[nodiscard]] Range planes() const { return planes_; }

  [[nodiscard]] double* plane(std::int64_t z) { return values_.data() + offset(z); }
  [[nodiscard]] const double* plane(std::int64_t z) const { return values_.data() + offset(z); }
  [[nodiscard]] std::span<double> span(std::int64_t z) { return span(Range{z, z + 1}); }
  /// Several planes as one piece, with the gaps between them.
  [[nodiscard]] std::span<double> span(Range planes) {
    return {plane(planes.begin), elements(edge_, static_cast<std::size_t>(planes.size()))};
  }

  void zero(int threads);

  /// Those of the planes that are asked for, each where it is in the whole grid: halo planes are images of others.
  [[nodiscard]] KernelState state_of(Range planes);

  static constexpr std::size_t points(int edge) {
    return static_cast<std::size_t>(edge) * static_cast<std::size_t>(edge);
  }
  /// Distance between planes, in elements.
  static constexpr std::size_t stride(int edge) { return points(edge) + (edge < smallest_apart ? 0 : gap); }
  /// Length of some consecutive planes as one piece.
  static constexpr std::size_t elements(int edge, std::size_t planes) {
    return planes == 0 ? 0 : (planes - 1) * stride(edge) + points(edge);
  }
  static constexpr int smallest_apart = 64;

 private:
  static constexpr std::size_t gap = 40;
  [[nodiscard]] std::ptrdiff_t offset(std::int64_t z) const {
    return (z - planes_.begin) * static_cast<std::ptrdiff_t>(stride(edge_));
  }

  int edge_ = 0;
  Range planes_{};
  LargeBuffer<double> values_;
};

}  // namespace nasvm::mg
