#pragma once
/// \file
/// The inverse power method with a conjugate gradient solver inside: the algorithm of kernel CG.
/// Source: The NAS Parallel Benchmarks, RNR-94-007, section 2.2.3.
///
/// The conjugate gradients are those of A. T. Chronopoulos and C. W. Gear, "s-step iterative methods for symmetric
/// linear systems" (J. Comput. Appl. Math. 25, 1989), section 2: the same iterates in exact arithmetic, but
/// the product is taken of the residual r, the product of the direction p follows by recurrence, and both sums of a
/// step are due at the same time. The products w = A r are what tasks exchange, with their parts of the sums; r and
/// s = A p are updated by every task that needs them for its next product, so a step has one exchange on a grid with
/// one column (docs/kernels/cg.md).

#include "kernels/cg/distributed_matrix.hpp"
#include "kernels/cg/huge_page_allocator.hpp"
#include "vm/comm.hpp"

namespace nasvm::cg {

/// What an outer step finds; equal on all tasks.
struct Estimate {
  double zeta = 0;      ///< eigenvalue estimate: shift + 1 / (x . z)
  double residual = 0;  ///< ||x - A z|| of the step's linear system
};

class Solver {
 public:
  /// All references must outlive it. Begins with x = (1, ..., 1).
  Solver(Comm& comm, DistributedMatrix& matrix, double shift);

  /// Back to x = (1, ..., 1).
  void reset();

  /// One outer step: solves A z = x approximately, estimates the eigenvalue, and replaces x by z / ||z||.
  /// Collective. 26 products and 25 shared vectors with sums of two numbers; allreduces of two numbers and of one.
  Estimate power_step();

 private:
  /// 25 conjugate gradient steps for A z = x, from z = 0.
  void conjugate_gradient();
  /// The sums over all tasks of this task's r . r, given, and r . w; w is complete afterwards unless `last`.
  Sums share_product(double r_square, bool last);
  /// ||x - A z||, with z over the span in r_.
  double residual();

  /// This task's piece of a vector over the span.
  [[nodiscard]] double* own(HugeVector<double>& vector) const { return vector.data() + matrix_.own().begin; }
  [[nodiscard]] std::int64_t own_size() const { return matrix_.own().size(); }

  Comm& comm_;
  DistributedMatrix& matrix_;
  double shift_;
  int threads_;
  // Over this task's piece:
  HugeVector<double> x_;
  HugeVector<double> z_;
  HugeVector<double> p_;
  // Over this task's span, to be multiplied:
  HugeVector<double> r_;  ///< between outer steps: x
  HugeVector<double> s_;  ///< A p
  HugeVector<double> w_;  ///< A r
};

}  // namespace nasvm::cg
