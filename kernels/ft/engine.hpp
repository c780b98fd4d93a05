#pragma once
/// \file
/// The engine: one-dimensional transforms in the two shapes that FT needs, out of place.
///
/// - A row: nx points, contiguous.
/// - A block of columns: `width` lines along y or z side by side; point i of a line is `pitch` after point i - 1.
///
/// Transforms are not normalised: forward then inverse multiplies by the number of points. Source and
/// destination do not overlap; the source keeps its values. Everything is const and may be called by several
/// threads at once on different data; nothing blocks or fails.

#include <cstdint>
#include <memory>

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

class Engine {
 public:
  virtual ~Engine() = default;
  virtual void transform_row(Direction direction, const Complex* from, Complex* to) const = 0;
  virtual void transform_columns(Axis axis, Direction direction, const Complex* from, Complex* to) const = 0;
  [[nodiscard]] virtual ColumnBlock columns(Axis axis) const = 0;
};

/// FFTW's transforms, planned for this grid: measured plans (below half a second in all), for grids below
/// 2^19 points estimated ones. Source: Frigo, Johnson, "The Design and Implementation of FFTW3".
std::unique_ptr<Engine> make_fftw_engine(const Grid& grid);

}  // namespace nasvm::ft
