#pragma once
/// \file
/// One task's part of a three-dimensional transform: planes (x and y) in the space layout, pencils (z) in the
/// frequency layout. What lies between them is the transpose.
///
/// Reference loops, with F the one-dimensional transform:
///   planes:  for z: for y: F(a[z][y][:]);  for x: F(a[z][:][x])
///   pencils: for y: for x: b[:][y][x] = F(a[:][y][x] * factor(x, y, :, t))
/// The factors belong to whichever comes first in an inverse transform: planes may be evolved as well.
/// Operations: 5 n log2(n) for each transform of n points. Memory: planes read and write the field once as
/// long as a plane stays in the cache (16 nx ny bytes); pencils read one field and write one.

#include <cstdint>
#include <vector>

#include "kernels/ft/evolution.hpp"
#include "kernels/ft/fftw/layout.hpp"
#include "kernels/ft/fftw/transforms.hpp"
#include "kernels/ft/field.hpp"

namespace nasvm::ft {

/// Layout and transforms must outlive it. `threads` OpenMP threads share the planes and the pencils.
class SlabTransform {
 public:
  SlabTransform(const Layout& layout, const FftwTransforms& transforms, int threads);

  /// x and y transforms of plane `plane` (counted from 0), in place. May be called by threads of an OpenMP
  /// team of at most `threads`, on different planes.
  void transform_plane(Direction direction, std::int64_t plane, Complex* space);
  /// All planes of this task.
  void transform_planes(Direction direction, Complex* space);
  /// All planes of this task of the spectrum evolved to the time of `evolution`: `from`, in the space layout, stays,
  /// `to` is the result.
  void transform_evolved_planes(Direction direction, const Evolution& evolution, const Complex* from, Complex* to);
  /// z transforms of all pencils of this task, in place.
  void transform_pencils(Direction direction, Complex* frequency);
  /// Evolves the spectrum to the time of `evolution` and transforms it along z: `from` stays, `to` is the result.
  void transform_evolved_pencils(Direction direction, const Evolution& evolution, const Complex* from, Complex* to);

 private:
  /// A thread's working memory: lines before and after their transform.
  struct Scratch {
    Field before;
    Field after;
  };
  void transform_rows(Direction direction, std::int64_t plane, Complex* space);
  void transform_evolved_rows(Direction direction, std::int64_t plane, const Evolution& evolution,
                              const Complex* from, Complex* to);
  void transform_columns(Direction direction, std::int64_t plane, Complex* space);
  void transform_column_block(Direction direction, std::int64_t plane, std::int64_t x, Complex* space);
  /// Calls body(row, x) for each block of pencils of this task, x being its first, on all threads.
  template <typename Body>
  void for_pencil_blocks(const Body& body) const;
  /// Pencils x, x + 1, ... of a row into this thread's scratch, as they are or evolved.
  void gather_pencils(std::int64_t row, std::int64_t x, const Complex* frequency);
  void gather_evolved_pencils(std::int64_t row, std::int64_t x, const Evolution& evolution, const Complex* frequency);
  /// Transforms the gathered pencils and puts them to their place in `frequency`.
  void transform_gathered(Direction direction, std::int64_t row, std::int64_t x, Complex* frequency);
  Scratch& scratch();

  const Layout& layout_;
  const FftwTransforms& transforms_;
  int threads_;
  std::vector<Scratch> scratch_;  ///< one for each thread
};

}  // namespace nasvm::ft
