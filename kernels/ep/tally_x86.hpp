#pragma once
/// \file
/// The loops of EP with intrinsics of x86 processors, chosen at run time. They stand in for tally_simd; tests hold
/// all against tally_reference. The calls below must not be made where the processor does not have what they need.

#include <span>

#include "kernels/ep/tally.hpp"

namespace nasvm::ep {

/// Whether this processor, and the compilation, have what tally_avx2 needs: AVX2, FMA and POPCNT.
bool avx2_available();
/// What tally_avx512 needs: AVX512-F and -DQ.
bool avx512_available();
/// And what tally_ifma needs besides: the integer fused multiply-add (AVX512-IFMA).
bool ifma_available();

/// Which of the loops can be run.
struct Instructions {
  bool avx2 = false;
  bool avx512 = false;
  bool ifma = false;
};
/// On this processor.
Instructions instructions_here();
/// The fastest loop of those: tally_ifma, _avx512, _avx2, or else tally_simd.
TallyLoop fastest_loop(const Instructions& instructions);

/// Operations: 16 vector instructions for 4 pairs, 42 for 4 accepted ones; no memory traffic beyond 3 KB.
Tally tally_avx2(Range batches);
/// Operations: 20 vector instructions for 8 pairs, 37 for 8 accepted ones; no memory traffic beyond 5 KB.
Tally tally_avx512(Range batches);
/// The same with 11 instructions for 8 pairs.
Tally tally_ifma(Range batches);

/// Replaces each t in (0, 1] by its deviate factor sqrt(-2 ln t / t), as the loops compute it; for t = 1 by
/// something below 1e-8. For tests.
void deviate_factors_avx2(std::span<double> t);
void deviate_factors_avx512(std::span<double> t);

}  // namespace nasvm::ep
