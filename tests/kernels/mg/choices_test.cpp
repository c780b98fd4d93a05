#include "kernels/mg/choices.hpp"

#include <catch2/catch.hpp>

using namespace nasvm;
using namespace nasvm::mg;

TEST_CASE("mg choices: a quarter of the usual strip is tried, as far as planes and the shortest strip allow") {
  const auto check = [](int edge, int usual, int shorter, bool differ) {
    INFO("edge " << edge);
    const StripRows rows = strip_rows_for(edge);
    CHECK(rows.usual == usual);
    CHECK(rows.shorter == shorter);
    CHECK(rows.differ() == differ);
  };
  check(32, 32, 256, false);
  check(64, 64, 128, false);
  check(128, 128, 64, true);
  check(256, 128, 32, true);
  check(512, 64, 16, true);
  check(1024, 32, 8, true);
  check(2048, 16, 8, true);
  check(4096, 8, 8, false);
}

TEST_CASE("mg choices: shorter strips are taken where they are clearly faster, and the reason has both times") {
  const StripRows rows = strip_rows_for(256);
  // As on processors with a fast third cache, and with a slow one.
  const SweepTimes fast_third_cache{.usual_s = 0.0100, .shorter_s = 0.0098};
  const SweepTimes slow_third_cache{.usual_s = 0.0234, .shorter_s = 0.0181};
  CHECK(faster_strip(rows, fast_third_cache) == 128);
  CHECK(faster_strip(rows, slow_third_cache) == 32);
  CHECK(tried_strips(rows, fast_third_cache) ==
        TuningChoice{"strips", "128 rows",
                     "in a trial a sweep took 10 ms with 128 rows, 9.8 ms with 32; fewer must be 5 % faster"});
  CHECK(tried_strips(rows, slow_third_cache) ==
        TuningChoice{"strips", "32 rows",
                     "in a trial a sweep took 23.4 ms with 128 rows, 18.1 ms with 32; fewer must be 5 % faster"});
}

TEST_CASE("mg choices: what there is to be said without a trial") {
  CHECK(untried_strips(strip_rows_for(32)) ==
        TuningChoice{"strips", "32 rows", "planes of this grid have no shorter strips"});
  CHECK(choices() == TuningChoices{{"strips", "by trial", "in each run: 256 KiB or 64 KiB of each plane"}});
}
