#include "kernels/is/choices.hpp"

#include <vector>

#include <catch2/catch.hpp>

using namespace nasvm;
using namespace nasvm::is;

TEST_CASE("is choices: keys are split by vectors among few owners, on processors that have the instructions") {
  struct Case {
    const char* processor;
    Instructions instructions;
    int owners;
    SplitLoop loop;
    TuningChoice choice;
  };
  const std::vector<Case> cases{
      {"Zen 4",
       {true, true},
       64,
       split_avx512,
       {"splitting", "AVX-512", "AVX-512 serves up to 64 tasks, of which there are 64"}},
      {"Zen 4",
       {true, true},
       65,
       split_plain,
       {"splitting", "look-up", "AVX-512 serves up to 64 tasks, of which there are 65"}},
      {"Zen 3",
       {.avx2 = true},
       64,
       split_avx2,
       {"splitting", "AVX2", "AVX2 serves up to 64 tasks, of which there are 64"}},
      {"Zen 3",
       {.avx2 = true},
       65,
       split_plain,
       {"splitting", "look-up", "AVX2 serves up to 64 tasks, of which there are 65"}},
      {"ARM", {}, 2, split_plain, {"splitting", "look-up", "the processor has neither AVX-512 nor AVX2"}},
  };
  for (const Case& one : cases) {
    INFO(one.processor << ", " << one.owners << " owners");
    CHECK(split_loop(one.owners, one.instructions) == one.loop);
    CHECK(splitting_choice(one.owners, one.instructions) == one.choice);
  }
}

TEST_CASE("is choices: one task splits nothing") {
  CHECK(choices_of_run(1).empty());
  CHECK(choices_of_run(2).size() == 2);
}

TEST_CASE("is choices: keys are split by chunks that follow the first-level cache") {
  // Zen 3, Zen 4 and Cascade Lake; Sapphire Rapids and Zen 5.
  CHECK(chunk_choice(32 << 10) == TuningChoice{"chunk", "4096 keys", "half of a first-level cache of 32 KiB"});
  CHECK(chunk_choice(48 << 10) == TuningChoice{"chunk", "6144 keys", "half of a first-level cache of 48 KiB"});
}

TEST_CASE("is choices: keys go straight to where others read them where that is clearly faster") {
  using enum KeyPacker::Way;
  CHECK(faster_packing({.straight_s = 0.0034, .past_cache_s = 0.0038}) == straight);
  CHECK(faster_packing({.straight_s = 0.0037, .past_cache_s = 0.0038}) == past_cache);
  CHECK(faster_packing({.straight_s = 0.0150, .past_cache_s = 0.0040}) == past_cache);
  CHECK(tried_packing({.straight_s = 0.0150, .past_cache_s = 0.0040}) ==
        TuningChoice{"packing", "past the cache",
                     "in a trial a ranking took 15 ms straight, 4 ms past the cache; straight must be 5 % faster"});
  CHECK(tried_packing({.straight_s = 0.0034, .past_cache_s = 0.0038}).chosen == "straight");
}
