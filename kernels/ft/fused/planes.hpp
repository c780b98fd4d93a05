#pragma once
/// \file
/// The fused engine's planes: x and y transforms of one z-plane, which stays in the cache between the two.
///
/// A *row* is nx points of one y as nx / 8 blocks along x. Within a plane, and in the solution, the eight lines of a
/// block are other rows: *strip* j (j < ny / 8) holds the rows y = j + q ny / 8, q = 0 .. 7, as nx blocks, one for
/// each x. A strip is what one butterfly of eight points along y touches; so blocks change from one form to the other
/// in registers, in the first or last stage of the transform along y.
///
/// Reference loops, with F the one-dimensional transform:
///   forward: for y: u = random numbers of the row, F(u);  for x: F(plane[:][x]), row y to targets[y]
///   inverse: for x: F^-1(rows[:][x]);                     for y: F^-1(plane[y][:]), where the rows were
/// Operations: 5 nx ny log2(nx ny), and for the random numbers two multiplications and two additions a point.
/// Bytes: forward writes 16 nx ny; inverse reads and writes as many. The plane between is 16 nx ny in the cache.

#include <cstdint>
#include <span>

#include "kernels/ft/fused/line_transform.hpp"
#include "kernels/ft/fused/row_target.hpp"
#include "kernels/ft/problem.hpp"

namespace nasvm::ft {

/// Transforms for the planes of a grid; may be used by several threads at once, each with its own scratch.
class PlaneTransform {
 public:
  /// nx and ny are powers of two, nx at least 32, ny at least 64.
  explicit PlaneTransform(const Grid& grid);
  /// Once more, as LineTransform.
  void make_roots() {
    along_x_.make_roots();
    along_y_.make_roots();
  }

  /// Doubles of working memory for one thread.
  [[nodiscard]] std::int64_t scratch_doubles() const;

  /// Makes plane z of the initial field and transforms it; row y of the result goes to targets[y].
  void forward(std::int64_t z, std::span<const RowTarget> targets, double* scratch) const;
  /// Transforms back the plane whose row y is at rows[y] + offset, in place: strip j of the solution lies where rows
  /// 8 j to 8 j + 7 were, an eighth of its blocks in each. The rows that follow the rows (the next plane's) are asked
  /// for ahead of time.
  void inverse(double* const* rows, std::int64_t offset, double* scratch) const;

  /// The row in which (x, y) of the solution lies, and how many doubles after its start the real part; the imaginary
  /// part is `block_lines` after it.
  struct Place {
    std::int64_t row = 0;
    std::int64_t in_row = 0;
  };
  [[nodiscard]] Place place(std::int64_t x, std::int64_t y) const {
    const std::int64_t blocks = nx_ / block_lines;
    return {y % strips_ * block_lines + x / blocks, x % blocks * block_doubles + y / strips_};
  }

 private:
  [[nodiscard]] std::int64_t plane_doubles() const { return strips_ * strip_pitch_; }
  [[nodiscard]] std::int64_t buffer_doubles() const;
  /// Transforms along x, a strip: from the initial numbers to the plane, from the plane to eight rows' places.
  void x_forward(const double* numbers, double* strip, double* buffer) const;
  void x_inverse(const double* strip, double* const* rows, std::int64_t offset, double* buffer) const;
  /// Transforms along y, the `vector_lines` lines from x on: from the plane to where they wait (RowGroup), from the
  /// rows to the plane.
  void y_forward(const double* plane, std::int64_t x, double* to, double* buffer) const;
  void y_inverse(const double* const* rows, std::int64_t offset, std::int64_t x, double* plane, double* buffer) const;

  std::int64_t nx_;
  std::int64_t ny_;
  std::int64_t strips_;
  std::int64_t strip_pitch_;  ///< doubles from a strip of the plane to the next
  LineTransform along_x_;
  LineTransform along_y_;
};

}  // namespace nasvm::ft
