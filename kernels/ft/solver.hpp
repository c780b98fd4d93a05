#pragma once
/// \file
/// The solution of FT's equation on one task: initial spectrum V, then the checksum of the solution at any time.
/// Nothing here is timed or compared; benchmark.hpp does that.

#include <memory>

#include "kernels/ft/engine.hpp"
#include "kernels/ft/field.hpp"
#include "kernels/ft/layout.hpp"
#include "kernels/ft/slab_transform.hpp"
#include "vm/comm.hpp"

namespace nasvm::ft {

class Solver {
 public:
  /// Allocates fields and plans transforms; no communication. `comm` must outlive it.
  Solver(Comm& comm, const Grid& grid, int threads);
  Solver(const Solver&) = delete;
  Solver& operator=(const Solver&) = delete;

  /// Generates U and transforms it: V = F(U). Collective: one transpose.
  void start();
  /// X = F^-1(V * factors of t), its checksum at rank 0, elsewhere undefined. Collective: one transpose and one
  /// reduction of a complex number.
  Complex checksum_at(int t);

 private:
  [[nodiscard]] bool alone() const { return layout_.tasks() == 1; }

  Comm& comm_;
  Layout layout_;
  std::unique_ptr<Engine> engine_;
  SlabTransform transform_;
  int threads_;
  Field spectrum_;  ///< V, frequency layout; kept through all iterations
  Field work_;      ///< transformed along z alone, frequency layout
  Field space_;     ///< U and X, space layout; with one task the layouts are equal and it is not needed
};

}  // namespace nasvm::ft
