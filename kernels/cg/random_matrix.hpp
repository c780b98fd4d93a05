#pragma once
/// \file
/// The random sparse vectors that define the matrix: A = sum over i of w_i v_i v_i^T + (rcond - shift) I.
///
/// v_i has `nonzer` distinct random positions and the value 0.5 at position i; w_i falls from 1 to rcond in a
/// geometric series. The vectors come out of one random sequence in which draws are rejected depending on their
/// values, so no task can jump into its middle: every task walks the whole of it. It is cheap enough to walk twice,
/// therefore the vectors are never stored. Source: The NAS Parallel Benchmarks, RNR-94-007, section 2.2.3.

#include <cstdint>
#include <vector>

#include "kernels/cg/problem.hpp"
#include "kernels/common/random.hpp"

namespace nasvm::cg {

/// One element of a generating vector; positions count from 0.
struct VectorEntry {
  std::int64_t position = 0;
  double value = 0;
};

/// One generating vector with its number and weight. Positions are distinct and in no order.
struct GeneratingVector {
  std::int64_t number = 0;
  double weight = 0;
  std::vector<VectorEntry> entries;
};

/// Produces v_0, v_1, ... v_{order-1}, one after the other.
class VectorSequence {
 public:
  explicit VectorSequence(const Parameters& problem);

  /// The next vector; valid until the next call. May be called `order` times.
  const GeneratingVector& next();

 private:
  void draw_entries();
  void force_diagonal();
  [[nodiscard]] VectorEntry* find(std::int64_t position);

  std::int64_t order_;
  std::size_t nonzer_;
  double position_scale_;  ///< smallest power of two that is not below the order
  double weight_ratio_;
  double next_weight_ = 1;
  std::int64_t next_number_ = 0;
  NpbRandom random_;
  GeneratingVector vector_;
};

}  // namespace nasvm::cg
