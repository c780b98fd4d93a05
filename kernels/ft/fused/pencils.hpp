#pragma once
/// \file
/// The fused engine's pencils: z transforms, with the evolution on the way.
///
/// Rows (nx points as nx / 8 blocks) come from and go to wherever the caller says; the spectrum V, which only pencils
/// see, keeps the nz blocks of each pencil together: [row][x / 8][z].
///
/// Reference loops, with F the one-dimensional transform, for one y:
///   forward: for x: V[y][x][:] = F(rows[:][x])
///   inverse: for x: targets[:][x] = F^-1(V[y][x][:] * fx[x] * fy * fz[:])
/// Operations: 5 nx nz log2(nz), inverse 3 nx nz more. Bytes: 16 nx nz read and as many written.

#include <cstdint>
#include <span>

#include "kernels/ft/evolution.hpp"
#include "kernels/ft/fused/line_transform.hpp"
#include "kernels/ft/fused/row_target.hpp"
#include "kernels/ft/problem.hpp"

namespace nasvm::ft {

class PencilTransform {
 public:
  explicit PencilTransform(const Grid& grid);
  /// Once more, as LineTransform.
  void make_roots() { along_z_.make_roots(); }
  /// Doubles of working memory for one thread.
  [[nodiscard]] std::int64_t scratch_doubles() const;

  /// Transforms the pencils of the y-row whose points of plane z are at rows[z] + offset into `spectrum` (2 nx nz
  /// doubles, on a cache line). The rows that follow are asked for ahead of time.
  void forward(const double* const* rows, std::int64_t offset, double* spectrum, double* scratch) const;
  /// Evolves the spectrum of the row `y` of the whole grid to the time of `evolution` and transforms it back; its
  /// points of plane z go to targets[z].
  void inverse(const double* spectrum, const Evolution& evolution, std::int64_t y, std::span<const RowTarget> targets,
               double* scratch) const;

 private:
  /// Doubles from the start of a row's spectrum to the pencil of x.
  [[nodiscard]] std::int64_t place_of_pencil(std::int64_t x) const {
    return x / block_lines * nz_ * block_doubles + x % block_lines;
  }
  /// `vector_lines` pencils, from line `part` of their block on: `factors_x` is theirs, `factors` that of y and each
  /// z; point z goes to `to` + z * RowGroup::pitch.
  void inverse_pencil(const double* pencil, Reals factors_x, const double* factors, std::int64_t part, double* to,
                      double* buffer) const;

  std::int64_t nx_;
  std::int64_t nz_;
  LineTransform along_z_;
};

}  // namespace nasvm::ft
