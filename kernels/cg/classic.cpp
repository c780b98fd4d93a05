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
        p_(static_cast<std::size_t>(matrix.span_size())) {}

  void solve(std::span<double> r, std::span<double> w, std::span<double> z) override {
    const DirectionVectors direction{z.data(), p_.data(), r.data(), matrix_.own(), matrix_.span_size()};
    const std::span<double> own_r = part_of(r, matrix_.own());
    const std::span<const double> q = part_of(w, matrix_.own());
    const auto size = matrix_.own().size();
    fill(z.data(), size, 0.0, threads_);
    copy(r.data(), p_.data(), matrix_.span_size(), threads_);
    matrix_.multiply(p_, w);
    auto [rho, p_dot_q] = first_sums(own_r, q);
    for (int step = 1; step < inner_steps; ++step) {
      const double alpha = rho / p_dot_q;
      const double own_square = subtract(alpha, q.data(), own_r.data(), size, threads_);
      const double last_rho = rho;
      rho = matrix_.share(r, {own_square, 0})[0];
      turn(direction, alpha, rho / last_rho, threads_);
      matrix_.multiply(p_, w);
      p_dot_q = comm_.allreduce_value(dot(own_p().data(), q.data(), size, threads_));
    }
    add_scaled(rho / p_dot_q, own_p().data(), z.data(), size, threads_);
  }

 private:
  [[nodiscard]] std::span<const double> own_p() const { return part_of(std::span<const double>(p_), matrix_.own()); }

  /// rho and p.q of the first step.
  Sums first_sums(std::span<const double> own_r, std::span<const double> q) {
    const auto size = matrix_.own().size();
    Sums sums{dot(own_r.data(), own_r.data(), size, threads_), dot(own_p().data(), q.data(), size, threads_)};
    comm_.allreduce(sums);
    return sums;
  }

  Comm& comm_;
  DistributedMatrix& matrix_;
  int threads_;
  HugeVector<double> p_;  ///< direction, over the span
};

}  // namespace

std::unique_ptr<Recurrence> classic_recurrence(Comm& comm, DistributedMatrix& matrix) {
  return std::make_unique<ClassicRecurrence>(comm, matrix);
}

}  // namespace nasvm::cg
