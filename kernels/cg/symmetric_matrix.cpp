#include "kernels/cg/symmetric_matrix.hpp"

#include <cassert>
#include <cstddef>

namespace nasvm::cg {

SymmetricMatrix::SymmetricMatrix(const SparseBlock& upper, std::span<const double> diagonal, const TileShape& tile)
    : diagonal_(diagonal.begin(), diagonal.end()), upper_(upper, tile) {
  assert(upper.rows() == upper.cols() && upper.rows() == static_cast<Eigen::Index>(diagonal.size()));
}

void SymmetricMatrix::add_product(std::span<const double> x, std::span<double> y, CacheHint hint) {
  assert(static_cast<std::int64_t>(x.size()) == size() && static_cast<std::int64_t>(y.size()) == size());
  for (std::size_t i = 0; i < x.size(); ++i) y[i] += diagonal_[i] * x[i];
  upper_.add_products({x, x, y, y}, hint);
}

}  // namespace nasvm::cg
