#pragma once
/// \file
/// The loop of EP for processors with AVX-512 and its integer fused multiply-add (AVX512-IFMA), which have it chosen
/// at run time. It stands in for tally_simd; tests hold both against tally_reference. The calls below must not be
/// made where ifma_available() is false.

#include <span>

#include "kernels/ep/tally.hpp"

namespace nasvm::ep {

/// Whether this processor, and the compilation, have what the functions below need.
bool ifma_available();

/// Operations: 11 vector instructions for 8 pairs, 37 for 8 accepted ones; no memory traffic beyond 5 KB.
Tally tally_ifma(Range batches);

/// Replaces each t in (0, 1] by its deviate factor sqrt(-2 ln t / t), as tally_ifma computes it; for t = 1 by
/// something below 1e-8. For tests.
void deviate_factors_ifma(std::span<double> t);

}  // namespace nasvm::ep
