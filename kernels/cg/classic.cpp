// The recurrence that the specification prescribes.

#include "kernels/cg/huge_page_allocator.hpp"
#include "kernels/cg/recurrence.hpp"
#include "kernels/cg/vectors.hpp"

namespace nasvm::cg {
namespace {

class ClassicRecurrence final : public Recurrence {
 public:
  ClassicRecurrence(Comm& comm, DistributedMatrix& matrix)
      : comm_(comm),
        matrix_(matrix),
        threads_(matrix.block().threads()),
        shares_products_(matrix.preference() == Prefer::few_messages),
        p_(static_cast<std::size_t>(matrix.span_size())) {}

  void solve(std::span<double> r, std::span<double> w, std::span<double> z) override {
    const DirectionVectors direction{z.data(), p_.data(), r.data(), matrix_.own(), matrix_.span_size()};
    const auto size = matrix_.own().size();
    fill(z.data(), size, 0.0, threads_);
    copy(r.data(), p_.data(), matrix_.span_size(), threads_);
    matrix_.multiply(p_, w);
    auto [rho, p_dot_q] = sums_after_product(w, {own_dot(r, r), own_dot(p_, w)}, 0);
    for (int step = 1; step < inner_steps; ++step) {
      const double alpha = rho / p_dot_q;
      const double last_rho = rho;
      rho = next_rho(alpha, w, r);
      turn(direction, alpha, rho / last_rho, threads_);
      matrix_.multiply(p_, w);
      p_dot_q = sums_after_product(w, {0, own_dot(p_, w)}, step)[1];
    }
    add_scaled(rho / p_dot_q, part_of(std::span<const double>(p_), matrix_.own()).data(), z.data(), size, threads_);
  }

 private:
  /// The sums over all tasks, with the product where that is shared; the last one nobody needs from the others.
  Sums sums_after_product(std::span<double> q, Sums own, int step) {
    if (shares_products_ && step < inner_steps - 1) return matrix_.share(q, own);
    if (step == 0) {
      comm_.allreduce(own);
    } else {
      own[1] = comm_.allreduce_value(own[1]);
    }
    return own;
  }

  /// r -= alpha q; the new rho. r is complete afterwards.
  double next_rho(double alpha, std::span<const double> q, std::span<double> r) {
    if (shares_products_) {
      return matrix_.sum_of_spans(subtract(alpha, q.data(), r.data(), matrix_.span_size(), threads_));
    }
    const Range own = matrix_.own();
    const double own_square = subtract(alpha, part_of(q, own).data(), part_of(r, own).data(), own.size(), threads_);
    return matrix_.share(r, {own_square, 0})[0];
  }

  /// Over the piece.
  [[nodiscard]] double own_dot(std::span<const double> a, std::span<const double> b) const {
    const Range own = matrix_.own();
    return dot(part_of(a, own).data(), part_of(b, own).data(), own.size(), threads_);
  }

  Comm& comm_;
  DistributedMatrix& matrix_;
  int threads_;
  bool shares_products_;  ///< else the residuals
  HugeVector<double> p_;  ///< direction, over the span
};

}  // namespace

std::unique_ptr<Recurrence> classic_recurrence(Comm& comm, DistributedMatrix& matrix) {
  return std::make_unique<ClassicRecurrence>(comm, matrix);
}

}  // namespace nasvm::cg
