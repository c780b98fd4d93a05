#include "kernels/cg/solver.hpp"

#include <array>
#include <cmath>
#include <utility>

namespace nasvm::cg {

namespace {

/// a . b over this task's pieces. A plain loop, because GCC 12 warns about Eigen's AVX-512 reductions.
double piece_dot(const Vector& a, const Vector& b) {
  double sum = 0;
#pragma omp simd reduction(+ : sum)
  for (Eigen::Index i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

}  // namespace

Solver::Solver(Comm& comm, DistributedMatrix& matrix, double shift)
    : comm_(comm), matrix_(matrix), shift_(shift), x_(matrix.piece_size()), z_(x_.size()), r_(x_.size()) {
  reset();
}

void Solver::reset() { x_.setOnes(); }

Estimate Solver::power_step() {
  conjugate_gradient();
  compute_residual();
  std::array sums{piece_dot(x_, z_), piece_dot(z_, z_), piece_dot(r_, r_)};
  comm_.allreduce(sums);
  const auto [x_dot_z, z_square, r_square] = sums;
  x_ = z_ / std::sqrt(z_square);
  return {shift_ + 1.0 / x_dot_z, std::sqrt(r_square)};
}

void Solver::conjugate_gradient() {
  Piece p = matrix_.input();
  Piece q = matrix_.result();
  z_.setZero();
  r_ = x_;
  p = r_;
  double rho = dot(r_, r_);
  for (int step = 0; step < inner_steps; ++step) {
    matrix_.multiply();  // q = A p
    const double alpha = rho / dot(p, q);
    z_ += alpha * p;
    r_ -= alpha * q;
    const double last_rho = std::exchange(rho, dot(r_, r_));
    p = r_ + (rho / last_rho) * p;
  }
}

void Solver::compute_residual() {
  matrix_.input() = z_;
  matrix_.multiply();
  r_ = x_ - matrix_.result();
}

double Solver::dot(const Vector& a, const Vector& b) { return comm_.allreduce_value(piece_dot(a, b)); }

}  // namespace nasvm::cg
