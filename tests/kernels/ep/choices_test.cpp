#include "kernels/ep/choices.hpp"

#include <vector>

#include <catch2/catch.hpp>

using namespace nasvm;
using namespace nasvm::ep;

TEST_CASE("ep choices: each processor has the fastest loop that it can run") {
  struct Processor {
    const char* name;
    Instructions instructions;
    TallyLoop loop;
    TuningChoice choice;
  };
  const std::vector<Processor> processors{
      {"Zen 4, Ice Lake",
       {.avx2 = true, .avx512 = true, .ifma = true},
       tally_ifma,
       {"loop", "AVX-512 with IFMA", "the processor has AVX-512 F, DQ and IFMA"}},
      {"Cascade Lake",
       {.avx2 = true, .avx512 = true},
       tally_avx512,
       {"loop", "AVX-512", "the processor has AVX-512 F and DQ, but not IFMA"}},
      {"Zen 3, Haswell",
       {.avx2 = true},
       tally_avx2,
       {"loop", "AVX2", "the processor has AVX2, FMA and POPCNT, but not AVX-512 F and DQ"}},
      {"Nehalem, ARM",
       {},
       tally_simd,
       {"loop", "portable", "the processor has neither AVX-512 F and DQ nor AVX2, FMA and POPCNT"}},
  };
  for (const Processor& processor : processors) {
    INFO(processor.name);
    CHECK(fastest_loop(processor.instructions) == processor.loop);
    CHECK(loop_choice(processor.instructions) == processor.choice);
  }
}
