#pragma once
/// \file
/// The inverse power method with a conjugate gradient solver inside: the algorithm of kernel CG.
/// Source: The NAS Parallel Benchmarks, RNR-94-007, section 2.2.2.

#include <Eigen/Core>

#include "kernels/cg/distributed_matrix.hpp"
#include "vm/comm.hpp"

namespace nasvm::cg {

/// What an outer step finds; equal on all tasks.
struct Estimate {
  double zeta = 0;      ///< eigenvalue estimate: shift + 1 / (x . z)
  double residual = 0;  ///< ||x - A z|| of the step's linear system
};

/// A piece of a distributed vector, for reading.
using Vector = Eigen::Ref<const Eigen::VectorXd>;

class Solver {
 public:
  /// All references must outlive it. Begins with x = (1, ..., 1).
  Solver(Comm& comm, DistributedMatrix& matrix, double shift);

  /// Back to x = (1, ..., 1).
  void reset();

  /// One outer step: solves A z = x approximately, estimates the eigenvalue, and replaces x by z / ||z||.
  /// Collective. 26 products, 51 sums of one number over all tasks and one of three.
  Estimate power_step();

 private:
  /// 25 conjugate gradient steps for A z = x, from z = 0.
  void conjugate_gradient();
  /// r = x - A z.
  void compute_residual();
  /// a . b over all tasks.
  double dot(const Vector& a, const Vector& b);

  Comm& comm_;
  DistributedMatrix& matrix_;
  double shift_;
  Eigen::VectorXd x_;
  Eigen::VectorXd z_;
  Eigen::VectorXd r_;
};

}  // namespace nasvm::cg
