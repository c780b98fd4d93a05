#pragma once
/// \file
/// What EP adds up, and the loops that do it.
///
/// The reference loop, for pairs k of a range, with uniforms r:
///     x = 2 r(2k) - 1;  y = 2 r(2k+1) - 1;  t = x*x + y*y
///     if (t > 1) continue;
///     f = sqrt(-2 ln(t) / t);  X = x f;  Y = y f;
///     ++counts[floor(max(|X|,|Y|))];  sx += X;  sy += Y;
/// About 0.785 of the pairs are accepted. Operations: 12 for each pair and 45 more for an accepted one (work.cpp
/// counts them). No memory traffic.
/// Source: The NAS Parallel Benchmarks, RNR-94-007, section 2.2.1.

#include "kernels/common/partition.hpp"
#include "kernels/ep/compensated_sum.hpp"
#include "kernels/ep/problem.hpp"

namespace nasvm::ep {

/// Sums of the deviates and their numbers in the square annuli l <= max(|X|, |Y|) < l + 1.
struct Tally {
  double sx = 0;
  double sy = 0;
  Counts counts{};

  Tally& operator+=(const Tally& other) {
    sx += other.sx;
    sy += other.sy;
    for (std::size_t annulus = 0; annulus < counts.size(); ++annulus) counts[annulus] += other.counts[annulus];
    return *this;
  }
};

/// Deviates of some batches. All loops give the same counts; their sums differ by rounding, by less than 1e-10 in
/// each batch.
using TallyLoop = Tally (*)(Range batches);
Tally tally_tuned(Range batches);      ///< the fastest that this processor can run (tally_x86.hpp)
Tally tally_simd(Range batches);       ///< a vector of generators side by side; some 70 operations for every pair
Tally tally_reference(Range batches);  ///< one pair after the other with the library's log and sqrt

/// Adds the deviates of one accepted pair, computed as in the reference loop.
void add_pair(double x, double y, Counts& counts, CompensatedSum& sx, CompensatedSum& sy);

/// The batches on `threads` threads, each with a contiguous share.
Tally tally(TallyLoop loop, Range batches, int threads);

}  // namespace nasvm::ep
