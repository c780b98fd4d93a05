#pragma once
/// \file
/// The conjugate gradient steps inside the inverse power method, and the two ways to take them. Both give the same
/// iterates in exact arithmetic.
///
/// classic: as The NAS Parallel Benchmarks, RNR-94-007, section 2.2.3, prescribe:
///
///     z = 0, r = x, rho = r.r, p = r, and 25 times
///       q = A p,  alpha = rho / (p.q),  z += alpha p,  rho0 = rho,  r -= alpha q,  rho = r.r,  beta = rho / rho0,
///       p = r + beta p
///
/// Two sums over all tasks in a step; each task computes p over its span for itself. With few messages (Prefer) the
/// tasks exchange the products, the first sum goes with them (and that of the first rho), and each updates r over its
/// span, so that the second sum has one summand for each grid column. With few rounds the first is an allreduce, each
/// updates r over its piece, and the tasks exchange r, with which the second sum goes. The last step needs neither
/// new r nor p.
///
/// merged: A. T. Chronopoulos and C. W. Gear, "s-step iterative methods for symmetric linear systems" (J. Comput.
/// Appl. Math. 25, 1989), section 2: the product is taken of r, that of p follows by recurrence, and both sums of a
/// step are due at the same time. The products are what tasks exchange, with their parts of the sums.

#include <memory>
#include <span>

#include "kernels/cg/distributed_matrix.hpp"
#include "vm/comm.hpp"

namespace nasvm::cg {

class Recurrence {
 public:
  virtual ~Recurrence() = default;

  /// 25 conjugate gradient steps for A z = x, from z = 0, with one product each. `r`, over the span, is x before,
  /// with 0 between the pieces, and has no meaning afterwards. `w`, over the span, is for products. `z` is over this
  /// task's piece. Collective.
  virtual void solve(std::span<double> r, std::span<double> w, std::span<double> z) = 0;
};

/// A way to take the steps. Both arguments must outlive what it makes.
using MakeRecurrence = std::unique_ptr<Recurrence> (*)(Comm& comm, DistributedMatrix& matrix);
std::unique_ptr<Recurrence> classic_recurrence(Comm& comm, DistributedMatrix& matrix);
std::unique_ptr<Recurrence> merged_recurrence(Comm& comm, DistributedMatrix& matrix);

}  // namespace nasvm::cg
