#pragma once
/// \file
/// CG as White, Alund and Sunderam ran it on PVM: vectors with q copies on a square of q x q tasks, dot products
/// summed at task 0. Source: Performance of the NAS Parallel Benchmarks on PVM-Based Networks, section 4.3; the
/// recurrence is that of RNR-94-007, section 2.2.3, step by step (recurrence.hpp).
///
/// A product A p, of 3 q (q - 1) messages:
///   1. every task off the diagonal sends its piece of p to its mirror, whose block needs it;
///   2. block times piece: a partial result over the row's piece;
///   3. the first task of each row of the square adds up the row's partial results and sends the sum back.
/// A dot product: each task of a row takes a q-th of the piece; task 0 sums (central_sum.hpp). Vector updates are
/// made by every task of a row for itself.
///
/// Dot products of an outer step: 25 times p.q and r.r, also the last one, whose r.r nobody needs; x.z, z.z and the
/// residual's square. The first rho = x.x is 1 from the second outer step on, because x has been normalised.

#include <vector>

#include "kernels/cg/huge_page_allocator.hpp"
#include "kernels/cg/matrix.hpp"
#include "kernels/cg/paper/square_grid.hpp"
#include "kernels/cg/problem.hpp"
#include "kernels/cg/solver.hpp"
#include "vm/comm.hpp"

namespace nasvm::cg {

class SquareSolver {
 public:
  /// For the tasks of the square alone, which `comm` consists of; it must outlive the solver. Assembles this task's
  /// block; no communication. Begins with x = (1, ..., 1).
  SquareSolver(Comm& comm, const Parameters& problem, const SquareGrid& square, int threads);

  /// Back to x = (1, ..., 1).
  void reset();

  /// As Solver::power_step. Collective.
  Estimate power_step();

  [[nodiscard]] const Matrix& block() const { return block_; }

 private:
  using Vector = HugeVector<double>;

  /// 25 conjugate gradient steps for A z = x.
  void solve();
  /// Takes the solution to be the next x. Collective, like all below.
  void normalise(double z_square);
  [[nodiscard]] double residual();
  /// product_ = A v.
  void multiply(const Vector& v);
  /// columns_ = the piece of v that this task's block is multiplied with.
  void fetch_mirrored(const Vector& v);
  void sum_over_row();
  [[nodiscard]] double dot(const Vector& a, const Vector& b);
  [[nodiscard]] std::int64_t size() const { return block_.rows(); }

  Comm& comm_;
  SquareGrid square_;
  Matrix block_;
  double shift_;
  int threads_;
  Range dot_part_;  ///< of the piece: where this task forms dot products
  bool x_is_unit_ = false;
  // Over the row's piece:
  Vector x_;
  Vector z_;
  Vector r_;
  Vector p_;
  Vector product_;
  Vector arrival_;  ///< another task's partial result; on the first task of a row
  // Over the column's piece:
  Vector columns_;
};

}  // namespace nasvm::cg
