#include "kernels/cg/solver.hpp"

#include <cmath>

#include "kernels/cg/vectors.hpp"

namespace nasvm::cg {

Solver::Solver(Comm& comm, DistributedMatrix& matrix, double shift, MakeRecurrence make_recurrence)
    : comm_(comm),
      matrix_(matrix),
      shift_(shift),
      threads_(matrix.block().threads()),
      recurrence_(make_recurrence(comm, matrix)),
      x_(static_cast<std::size_t>(own_size())),
      z_(x_.size()),
      r_(static_cast<std::size_t>(matrix.span_size())),
      w_(r_.size()) {
  fill(w_.data(), matrix_.span_size(), 0.0, threads_);  // also between the pieces, which stay as they are
  reset();
}

void Solver::reset() {
  fill(r_.data(), matrix_.span_size(), 1.0, threads_);
  matrix_.clear_gaps(r_);
  fill(x_.data(), own_size(), 1.0, threads_);
}

Estimate Solver::power_step() {
  recurrence_->solve(r_, w_, z_);
  const Sums own_sums{dot(x_.data(), z_.data(), own_size(), threads_),
                      dot(z_.data(), z_.data(), own_size(), threads_)};
  copy(z_.data(), own(r_).data(), own_size(), threads_);
  // r is z over the span from now on: what residual() multiplies, and, normalised, the next x.
  const auto [x_dot_z, z_square] = matrix_.share(r_, own_sums);
  const Estimate estimate{shift_ + 1.0 / x_dot_z, residual()};
  scale(1.0 / std::sqrt(z_square), r_.data(), r_.data(), matrix_.span_size(), threads_);
  copy(own(r_).data(), x_.data(), own_size(), threads_);
  return estimate;
}

double Solver::residual() {
  matrix_.multiply(r_, w_);
  double square = square_of_difference(x_.data(), own(w_).data(), own_size(), threads_);
  comm_.reduce(std::span(&square, 1));
  return std::sqrt(square);
}

}  // namespace nasvm::cg
