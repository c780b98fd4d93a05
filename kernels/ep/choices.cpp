#include "kernels/ep/choices.hpp"

namespace nasvm::ep {

TuningChoice loop_choice(const Instructions& instructions) {
  const TallyLoop loop = fastest_loop(instructions);
  if (loop == tally_ifma) return {"loop", "AVX-512 with IFMA", "the processor has AVX-512 F, DQ and IFMA"};
  if (loop == tally_avx512) return {"loop", "AVX-512", "the processor has AVX-512 F and DQ, but not IFMA"};
  if (loop == tally_avx2) return {"loop", "AVX2", "the processor has AVX2, FMA and POPCNT, but not AVX-512 F and DQ"};
  return {"loop", "portable", "the processor has neither AVX-512 F and DQ nor AVX2, FMA and POPCNT"};
}

TuningChoices choices() { return {loop_choice(instructions_here())}; }

}  // namespace nasvm::ep
