#include "kernels/cg/paper/square_solver.hpp"

#include <cmath>
#include <stdexcept>

#include "kernels/cg/vectors.hpp"
#include "kernels/common/central_sum.hpp"

namespace nasvm::cg {
namespace {

constexpr Tag mirror_tag = 1;
constexpr Tag partial_tag = 2;
constexpr Tag row_sum_tag = 3;

std::size_t length(Range piece) { return static_cast<std::size_t>(piece.size()); }

}  // namespace

SquareSolver::SquareSolver(Comm& comm, const Parameters& problem, const SquareGrid& square, int threads)
    : comm_(comm),
      square_(square),
      block_(problem, square.piece(square.row_of(comm.rank())),
             IntervalSet({square.piece(square.col_of(comm.rank()))}), threads, false, [&] { comm.barrier(); }),
      shift_(problem.shift),
      threads_(threads),
      dot_part_(share(size(), square.side(), square.col_of(comm.rank()))),
      x_(static_cast<std::size_t>(size())),
      z_(x_.size()),
      r_(x_.size()),
      p_(x_.size()),
      product_(x_.size()),
      arrival_(square.col_of(comm.rank()) == 0 ? x_.size() : 0),
      columns_(length(square.piece(square.col_of(comm.rank())))) {
  if (comm.size() != square.tasks()) throw std::invalid_argument("the square of tasks does not match the Comm");
  reset();
}

void SquareSolver::reset() {
  fill(x_.data(), size(), 1.0, threads_);
  x_is_unit_ = false;
}

Estimate SquareSolver::power_step() {
  solve();
  const double zeta = shift_ + 1.0 / dot(x_, z_);
  const double z_square = dot(z_, z_);
  const Estimate estimate{zeta, residual()};
  normalise(z_square);
  return estimate;
}

void SquareSolver::solve() {
  fill(z_.data(), size(), 0.0, threads_);
  copy(x_.data(), r_.data(), size(), threads_);
  copy(x_.data(), p_.data(), size(), threads_);
  double rho = x_is_unit_ ? 1.0 : dot(x_, x_);
  for (int step = 0; step < inner_steps; ++step) {
    multiply(p_);
    const double alpha = rho / dot(p_, product_);
    add_scaled(-alpha, product_.data(), r_.data(), size(), threads_);
    const double last_rho = rho;
    rho = dot(r_, r_);
    turn({z_.data(), p_.data(), r_.data(), {0, size()}, size()}, alpha, rho / last_rho, threads_);
  }
}

void SquareSolver::normalise(double z_square) {
  scale(1.0 / std::sqrt(z_square), z_.data(), x_.data(), size(), threads_);
  x_is_unit_ = true;
}

double SquareSolver::residual() {
  multiply(z_);
  const double own_square = square_of_difference(x_.data() + dot_part_.begin, product_.data() + dot_part_.begin,
                                                 dot_part_.size(), threads_);
  return std::sqrt(central_sum(comm_, own_square));
}

void SquareSolver::multiply(const Vector& v) {
  fetch_mirrored(v);
  block_.multiply(columns_, product_);
  sum_over_row();
}

void SquareSolver::fetch_mirrored(const Vector& v) {
  const Rank mirror = square_.mirror_of(comm_.rank());
  if (mirror == comm_.rank()) copy(v.data(), columns_.data(), size(), threads_);
  else comm_.sendrecv(v, mirror, columns_, mirror, mirror_tag);
}

void SquareSolver::sum_over_row() {
  const int row = square_.row_of(comm_.rank());
  if (const Rank first = square_.rank_at(row, 0); first != comm_.rank()) {
    comm_.send(product_, first, partial_tag);
    comm_.recv(product_, first, row_sum_tag);
    return;
  }
  for (int col = 1; col < square_.side(); ++col) {
    comm_.recv(arrival_, square_.rank_at(row, col), partial_tag);
    add_scaled(1.0, arrival_.data(), product_.data(), size(), threads_);
  }
  std::vector<Request> sends;
  for (int col = 1; col < square_.side(); ++col) {
    sends.push_back(comm_.isend(product_, square_.rank_at(row, col), row_sum_tag));
  }
  comm_.wait_all(sends);
}

double SquareSolver::dot(const Vector& a, const Vector& b) {
  return central_sum(comm_,
                     cg::dot(a.data() + dot_part_.begin, b.data() + dot_part_.begin, dot_part_.size(), threads_));
}

}  // namespace nasvm::cg
