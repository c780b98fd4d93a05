#pragma once
/// \file
/// The inverse power method with a conjugate gradient solver inside: the algorithm of kernel CG.
/// Source: The NAS Parallel Benchmarks, RNR-94-007, section 2.2.3.

#include <memory>

#include "kernels/cg/distributed_matrix.hpp"
#include "kernels/cg/huge_page_allocator.hpp"
#include "kernels/cg/recurrence.hpp"
#include "vm/comm.hpp"

namespace nasvm::cg {

/// What an outer step finds.
struct Estimate {
  double zeta = 0;      ///< eigenvalue estimate: shift + 1 / (x . z); equal on all tasks
  double residual = 0;  ///< ||x - A z|| of the step's linear system, at rank 0; no meaning elsewhere
};

class Solver {
 public:
  /// All references must outlive it. Begins with x = (1, ..., 1).
  Solver(Comm& comm, DistributedMatrix& matrix, double shift, MakeRecurrence make_recurrence);

  /// Back to x = (1, ..., 1).
  void reset();

  /// One outer step: solves A z = x approximately, estimates the eigenvalue, and replaces x by z / ||z||.
  /// Collective. Beside the recurrence: one product, one shared vector with sums of two numbers, and a sum of one at
  /// rank 0.
  Estimate power_step();

 private:
  /// ||x - A z|| at rank 0, with z over the span in r_.
  double residual();

  [[nodiscard]] std::span<double> own(HugeVector<double>& vector) const {
    return part_of(std::span<double>(vector), matrix_.own());
  }
  [[nodiscard]] std::int64_t own_size() const { return matrix_.own().size(); }

  Comm& comm_;
  DistributedMatrix& matrix_;
  double shift_;
  int threads_;
  std::unique_ptr<Recurrence> recurrence_;
  // Over this task's piece:
  HugeVector<double> x_;
  HugeVector<double> z_;
  // Over this task's span, to be multiplied:
  HugeVector<double> r_;  ///< between outer steps: x
  HugeVector<double> w_;  ///< products
};

}  // namespace nasvm::cg
