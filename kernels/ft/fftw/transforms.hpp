#pragma once
/// \file
/// FFTW's one-dimensional transforms in the two shapes that FT needs, out of place.
///
/// - A row: nx points, contiguous.
/// - A block of columns: `width` lines along y or z side by side; point i of a line is `pitch` after point i - 1.
///
/// Transforms are not normalised: forward then inverse multiplies by the number of points. Source and
/// destination do not overlap; the source keeps its values. Everything is const and may be called by several
/// threads at once on different data; nothing blocks or fails.

#include <fftw3.h>

#include <cstdint>
#include <memory>
#include <type_traits>

#include "kernels/ft/problem.hpp"

namespace nasvm::ft {

/// Forward is the transform with e^{-i...}, inverse that with e^{+i...}. Which of them is called forward does
/// not change FT's checksums, because its evolution factors are even functions of the wavenumbers.
enum class Direction { forward, inverse };

/// The dimensions whose lines are columns.
enum class Axis { y, z };

struct ColumnBlock {
  std::int64_t width = 1;  ///< lines; divides nx
  std::int64_t pitch = 1;  ///< points from one point of a line to its next; at least `width`
};

/// `count` transforms of `length` points, points `stride` apart, transforms side by side.
struct Shape {
  std::int64_t length = 0;
  std::int64_t count = 1;
  std::int64_t stride = 1;
};

/// FFTW's plans of one shape, one for each direction.
class PlanPair {
 public:
  /// `rigour`: FFTW_MEASURE or FFTW_ESTIMATE.
  PlanPair(const Shape& shape, unsigned rigour);
  void execute(Direction direction, const Complex* from, Complex* to) const;

 private:
  struct Destroy {
    void operator()(fftw_plan plan) const;
  };
  using Plan = std::unique_ptr<std::remove_pointer_t<fftw_plan>, Destroy>;
  static Plan make(const Shape& shape, Direction direction, unsigned rigour);

  Plan forward_;
  Plan inverse_;
};

/// The transforms of a grid: measured plans (below half a second in all), for grids below 2^19 points estimated
/// ones. Source: Frigo, Johnson, "The Design and Implementation of FFTW3".
class FftwTransforms {
 public:
  explicit FftwTransforms(const Grid& grid);

  void transform_row(Direction direction, const Complex* from, Complex* to) const {
    along_x_.execute(direction, from, to);
  }
  void transform_columns(Axis axis, Direction direction, const Complex* from, Complex* to) const {
    (axis == Axis::y ? along_y_ : along_z_).execute(direction, from, to);
  }
  [[nodiscard]] ColumnBlock columns(Axis axis) const { return axis == Axis::y ? block_y_ : block_z_; }

 private:
  FftwTransforms(const Grid& grid, unsigned rigour);

  ColumnBlock block_y_;
  ColumnBlock block_z_;
  PlanPair along_x_;
  PlanPair along_y_;
  PlanPair along_z_;
};

}  // namespace nasvm::ft
