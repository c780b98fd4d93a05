#pragma once
/// \file
/// One-dimensional transforms of `vector_lines` lines at once, n a power of two from 32 up, self-sorting at the end.
///
/// Decimation in frequency with radices r_1, ..., r_k (n is their product; r_k = 8, r_1 = 8 from 64 points up): stage
/// i splits each transform of m points into r_i of m / r_i:
///   for j < m / r:  b[q] = w_m^{jq} * sum over t of a[j + t m / r] w_r^{qt},  stored at j + q m / r
/// The first stage takes its points from the caller, the last one hands them to the caller in their right order; what
/// is between stays in a small buffer. So whatever has to happen to the points on their way from and to memory
/// (copying, factors, changing the layout) costs no pass of its own. What the first stage has split is finished part
/// by part where vectors are as long as a block: 256 points of eight lines fill a first cache of 32 KB, a part of
/// them does not. Of shorter vectors the line is finished whole (measured: docs/kernels/ft.md). Operations: about 5 n
/// log2(n) per line. Bytes: the caller's, and 32 n of buffer per line, in the first or second cache, and (k - 2) 32 n
/// more in the first. Source: Van Loan, Computational Frameworks for the Fast Fourier Transform, sections 1.9
/// and 2.1.

#include <cstdint>
#include <vector>

#include "kernels/ft/fused/butterfly.hpp"
#include "kernels/ft/fused/lanes.hpp"

namespace nasvm::ft {

class LineTransform {
 public:
  /// For lines of `points` points: a power of two, at least 32.
  explicit LineTransform(std::int64_t points);
  /// Makes its roots of unity, which it has had from the beginning, once more: what a clock is to see.
  void make_roots();

  [[nodiscard]] std::int64_t points() const { return points_; }
  /// Doubles that `buffer` of run() must have.
  [[nodiscard]] std::int64_t buffer_doubles() const {
    return 2 * vector_lines * (points_ + (in_parts ? part_points_ : 0));
  }

  /// Transforms forward. `take(p, j)` fills p (4 points for 32-point lines, else 8: Points<r>) with the points
  /// j + t n / r for t < r; `give(p, f)` gets the frequencies f + q n / 8 for q < 8. Both are called once for each j
  /// and f, all of the former before the latter; j ascends, f goes through those of equal remainder by the number of
  /// parts in turn. They are passed by value, and should have captured by value: after each store of a vector the
  /// compiler would read what lies behind a reference again. May be called by several threads at once, with different
  /// buffers (aligned to a cache line).
  template <typename Take, typename Give>
  void run(Take take, Give give, double* buffer) const {
    if (first_radix_ == 8) run_first<8>(take, buffer);
    else run_first<4>(take, buffer);
    double* const finished = in_parts ? at(buffer, points_) : buffer;
    for (std::int64_t part = 0; part < parts(); ++part) {
      run_last(give, part, run_middle(at(buffer, part * part_points_), finished));
    }
  }

 private:
  static constexpr bool in_parts = vector_lines == block_lines;
  [[nodiscard]] std::int64_t parts() const { return in_parts ? first_radix_ : 1; }

  struct Stage {
    std::int64_t radix = 0;
    std::int64_t points = 0;       ///< m: of the transforms that it splits
    std::vector<double> twiddles;  ///< w_m^{jq}, real and imaginary part, for each j and q = 1 .. radix - 1
  };

  template <typename T>
  [[gnu::always_inline]] static T* at(T* buffer, std::int64_t index) {
    return buffer + 2 * vector_lines * index;
  }
  [[gnu::always_inline]] static Point read(const double* buffer, std::int64_t index) {
    return {load(at(buffer, index)), load(at(buffer, index) + vector_lines)};
  }
  [[gnu::always_inline]] static void write(double* buffer, std::int64_t index, const Point& point) {
    store(at(buffer, index), point.re);
    store(at(buffer, index) + vector_lines, point.im);
  }

  template <std::size_t radix, typename Take>
  [[gnu::always_inline]] void run_first(const Take& take, double* buffer) const {
    const std::int64_t step = points_ / static_cast<std::int64_t>(radix);
    const double* twiddle = stages_.front().twiddles.data();
    for (std::int64_t j = 0; j < step; ++j) {
      Points<radix> p;
      take(p, j);
      butterfly(p);
      write(buffer, j, p[0]);
      for (std::size_t q = 1; q < radix; ++q, twiddle += 2) {
        write(buffer, j + static_cast<std::int64_t>(q) * step, times(p[q], twiddle));
      }
    }
  }
  /// All stages between first and last for one part. Returns where the result is: in `room`, which may be the part's
  /// own place, or still in `part` where there are none.
  const double* run_middle(const double* part, double* room) const;
  template <std::size_t radix>
  static void run_stage(const Stage& stage, std::int64_t points, const double* from, double* to);
  /// The frequencies of one part.
  template <typename Give>
  [[gnu::always_inline]] void run_last(const Give& give, std::int64_t part, const double* buffer) const {
    std::int64_t f = part;
    for (const std::int64_t start : group_start_) {
      Points<8> p;
      for (std::size_t t = 0; t < 8; ++t) p[t] = read(buffer, start + static_cast<std::int64_t>(t));
      butterfly(p);
      give(p, f);
      f += parts();
    }
  }

  std::int64_t points_;
  std::int64_t first_radix_;
  std::int64_t part_points_;   ///< of the line, or of each transform that the first stage makes of it
  std::vector<Stage> stages_;  ///< all but the last, which has no twiddles
  std::vector<std::int64_t>
      group_start_;  ///< where in a part the points of its k-th frequency f, of f + n / 8, ... are
};

}  // namespace nasvm::ft
