#include "kernels/cg/solver.hpp"

#include <array>
#include <cmath>
#include <utility>

#include "kernels/cg/vectors.hpp"

namespace nasvm::cg {

Solver::Solver(Comm& comm, DistributedMatrix& matrix, double shift)
    : comm_(comm),
      matrix_(matrix),
      shift_(shift),
      threads_(matrix.block().threads()),
      x_(static_cast<std::size_t>(own_size())),
      z_(x_.size()),
      p_(x_.size()),
      r_(static_cast<std::size_t>(matrix.span_size())),
      s_(r_.size()),
      w_(r_.size()) {
  fill(w_.data(), matrix_.span_size(), 0.0, threads_);  // also between the pieces, which nobody fills
  reset();
}

void Solver::reset() {
  fill(r_.data(), matrix_.span_size(), 1.0, threads_);
  fill(x_.data(), own_size(), 1.0, threads_);
}

Estimate Solver::power_step() {
  conjugate_gradient();
  const Sums own_sums{dot(x_.data(), z_.data(), own_size(), threads_),
                      dot(z_.data(), z_.data(), own_size(), threads_)};
  copy(z_.data(), own(w_), own_size(), threads_);
  const auto [x_dot_z, z_square] = matrix_.share(w_, own_sums);
  std::swap(r_, w_);  // z over the span: what residual() multiplies, and, normalised, the next x
  const Estimate estimate{shift_ + 1.0 / x_dot_z, residual()};
  scale(1.0 / std::sqrt(z_square), r_.data(), r_.data(), matrix_.span_size(), threads_);
  copy(own(r_), x_.data(), own_size(), threads_);
  return estimate;
}

void Solver::conjugate_gradient() {
  fill(z_.data(), own_size(), 0.0, threads_);
  fill(p_.data(), own_size(), 0.0, threads_);
  fill(s_.data(), matrix_.span_size(), 0.0, threads_);
  const StepVectors vectors{p_.data(), z_.data(),     r_.data(),          s_.data(),
                            w_.data(), matrix_.own(), matrix_.span_size()};
  double own_square = dot(own(r_), own(r_), own_size(), threads_);
  double last_rho = 0;
  double alpha = 0;
  for (int step = 0; step < inner_steps; ++step) {
    matrix_.multiply(r_, w_);
    const auto [rho, w_dot_r] = share_product(own_square, step == inner_steps - 1);
    const double beta = step == 0 ? 0 : rho / last_rho;
    alpha = step == 0 ? rho / w_dot_r : rho / (w_dot_r - beta * rho / alpha);  // rho / (p . A p)
    last_rho = rho;
    own_square = advance(vectors, alpha, beta, threads_);
  }
}

Sums Solver::share_product(double r_square, bool last) {
  Sums sums{r_square, dot(own(r_), own(w_), own_size(), threads_)};
  if (!last) return matrix_.share(w_, sums);
  comm_.allreduce(sums);  // Nobody will need the others' part of r again.
  return sums;
}

double Solver::residual() {
  matrix_.multiply(r_, w_);
  const double own_square = square_of_difference(x_.data(), own(w_), own_size(), threads_);
  return std::sqrt(comm_.allreduce_value(own_square));
}

}  // namespace nasvm::cg
