#include "kernels/ft/choices.hpp"

#include <catch2/catch.hpp>

using namespace nasvm;
using namespace nasvm::ft;

TEST_CASE("ft choices: vectors are as long as those of the processors that the kernels are compiled for") {
  CHECK(vector_choice(8, "x86-64-v4") ==
        TuningChoice{"vectors", "8 lines", "compiled for x86-64-v4: a block of 8 lines takes 1 turn"});
  CHECK(vector_choice(4, "x86-64-v3") ==
        TuningChoice{"vectors", "4 lines", "compiled for x86-64-v3: a block of 8 lines takes 2 turns"});
  CHECK(vector_choice(2, "aarch64") ==
        TuningChoice{"vectors", "2 lines", "compiled for aarch64: a block of 8 lines takes 4 turns"});
}
