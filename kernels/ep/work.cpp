// What EP has to do at least (docs/roofline.md).

#include "kernels/ep/ep.hpp"

#include <numbers>

#include "kernels/ep/problem.hpp"

namespace nasvm::ep {
namespace {

/// Two steps of the generator (multiplication and remainder), two numbers put into [-1, 1] (multiplication and
/// addition), x^2 + y^2, one comparison.
constexpr double operations_per_pair = 2 * 2 + 2 * 2 + 3 + 1;
/// For a pair inside the circle: a logarithm, a division and a square root, which loops of additions and
/// multiplications make of 20, 8 and 8 operations, and a multiplication by -2; two deviates; the larger of their
/// magnitudes; both sums and a count.
constexpr double operations_per_deviates = 20 + 8 + 8 + 1 + 2 + 3 + 3;

}  // namespace

Work work(const Problem& problem, int) {
  const double pairs = static_cast<double>(parameters(problem.problem_class).batches() * batch_pairs);
  return {pairs * (operations_per_pair + std::numbers::pi / 4 * operations_per_deviates), 0, 0};
}

}  // namespace nasvm::ep
