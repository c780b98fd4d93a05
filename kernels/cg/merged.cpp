// The recurrence of Chronopoulos and Gear.

#include "kernels/cg/huge_page_allocator.hpp"
#include "kernels/cg/recurrence.hpp"
#include "kernels/cg/vectors.hpp"

namespace nasvm::cg {
namespace {

class MergedRecurrence final : public Recurrence {
 public:
  MergedRecurrence(Comm& comm, DistributedMatrix& matrix)
      : comm_(comm),
        matrix_(matrix),
        threads_(matrix.block().threads()),
        p_(static_cast<std::size_t>(matrix.own().size())),
        s_(static_cast<std::size_t>(matrix.span_size())) {}

  void solve(std::span<double> r, std::span<double> w, std::span<double> z) override {
    const Range own = matrix_.own();
    const StepVectors vectors{p_.data(), z.data(), r.data(), s_.data(), w.data(), own, matrix_.span_size()};
    fill(z.data(), own.size(), 0.0, threads_);
    fill(p_.data(), own.size(), 0.0, threads_);
    fill(s_.data(), matrix_.span_size(), 0.0, threads_);
    const double* const own_r = part_of(r, own).data();
    double own_square = dot(own_r, own_r, own.size(), threads_);
    double last_rho = 0;
    double alpha = 0;
    for (int step = 0; step < inner_steps; ++step) {
      matrix_.multiply(r, w);
      const auto [rho, w_dot_r] = share_product(own_square, r, w, step == inner_steps - 1);
      const double beta = step == 0 ? 0 : rho / last_rho;
      alpha = step == 0 ? rho / w_dot_r : rho / (w_dot_r - beta * rho / alpha);  // rho / (p . A p)
      last_rho = rho;
      own_square = advance(vectors, alpha, beta, threads_);
    }
  }

 private:
  /// The sums over all tasks of this task's r . r, given, and r . w; w is complete afterwards unless `last`.
  Sums share_product(double r_square, std::span<const double> r, std::span<double> w, bool last) {
    const Range own = matrix_.own();
    Sums sums{r_square, dot(part_of(r, own).data(), part_of(w, own).data(), own.size(), threads_)};
    if (!last) return matrix_.share(w, sums);
    comm_.allreduce(sums);  // The others' part of r is not needed again.
    return sums;
  }

  Comm& comm_;
  DistributedMatrix& matrix_;
  int threads_;
  HugeVector<double> p_;  ///< direction, over the piece
  HugeVector<double> s_;  ///< A p, over the span
};

}  // namespace

std::unique_ptr<Recurrence> merged_recurrence(Comm& comm, DistributedMatrix& matrix) {
  return std::make_unique<MergedRecurrence>(comm, matrix);
}

}  // namespace nasvm::cg
