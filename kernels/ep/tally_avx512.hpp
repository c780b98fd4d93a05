#pragma once
/// \file
/// The loops of EP for processors with AVX-512, chosen at run time. They stand in for tally_simd; tests hold all
/// against tally_reference. The calls below must not be made where the processor does not have what they need.

#include <span>

#include "kernels/ep/tally.hpp"

namespace nasvm::ep {

/// Whether this processor, and the compilation, have what tally_avx512 needs: AVX512-F and -DQ.
bool avx512_available();
/// And what tally_ifma needs besides: the integer fused multiply-add (AVX512-IFMA).
bool ifma_available();

/// Operations: 20 vector instructions for 8 pairs, 37 for 8 accepted ones; no memory traffic beyond 5 KB.
Tally tally_avx512(Range batches);
/// The same with 11 instructions for 8 pairs.
Tally tally_ifma(Range batches);

/// Replaces each t in (0, 1] by its deviate factor sqrt(-2 ln t / t), as both loops compute it; for t = 1 by
/// something below 1e-8. For tests.
void deviate_factors_avx512(std::span<double> t);

}  // namespace nasvm::ep
