#include "kernels/mg/choices.hpp"

#include <vector>

#include <catch2/catch.hpp>

using namespace nasvm;
using namespace nasvm::mg;

namespace {

constexpr std::uint64_t kib = 1 << 10;
constexpr std::uint64_t mib = 1 << 20;

}  // namespace

TEST_CASE(
    "mg choices: with 1 MiB a quarter of the usual strip is tried, as far as planes and the shortest strip allow") {
  const auto check = [](int edge, int usual, int shorter, bool differ) {
    INFO("edge " << edge);
    const StripRows rows = strip_rows_for(edge, 1 * mib);
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

TEST_CASE("mg choices: the shorter strips of eleven planes fit into a core's own cache") {
  struct Processor {
    const char* name;
    std::uint64_t own_cache_bytes;
    int shorter;
    TuningChoice before;
  };
  const auto tried = [](const char* why) { return TuningChoice{"strips", "by trial", why}; };
  const TuningChoice asking{"asking", "by trial",
                            "in each run: planes asked for twice before they are read, or thrice"};
  const std::vector<Processor> processors{
      {"Skylake", 256 * kib, 8,
       tried("in each run: 256 KiB of each plane, or 16 KiB, for a core's own cache of 256 KiB")},
      {"Zen 3", 512 * kib, 16,
       tried("in each run: 256 KiB of each plane, or 32 KiB, for a core's own cache of 512 KiB")},
      {"Zen 4", 1 * mib, 32, tried("in each run: 256 KiB of each plane, or 64 KiB, for a core's own cache of 1 MiB")},
      {"Ice Lake", 1280 * kib, 32,
       tried("in each run: 256 KiB of each plane, or 64 KiB, for a core's own cache of 1.25 MiB")},
      {"Sapphire Rapids", 2 * mib, 64,
       tried("in each run: 256 KiB of each plane, or 128 KiB, for a core's own cache of 2 MiB")},
      {"Arrow Lake",
       3 * mib,
       128,
       {"strips", "256 KiB of each plane", "eleven fit into a core's own cache of 3 MiB"}},
  };
  for (const Processor& processor : processors) {
    INFO(processor.name);
    const StripRows rows = strip_rows_for(256, processor.own_cache_bytes);
    CHECK(rows.usual == 128);
    CHECK(rows.shorter == processor.shorter);
    CHECK(rows.differ() == (processor.shorter < 128));
    CHECK(choices_for(processor.own_cache_bytes) == TuningChoices{processor.before, asking});
  }
}

TEST_CASE("mg choices: shorter strips are taken where they are clearly faster, and the reason has both times") {
  const StripRows rows = strip_rows_for(256, 1 * mib);
  // As on processors with a fast third cache, and with a slow one.
  const SweepTimes fast_third_cache{.usual_s = 0.0100, .other_s = 0.0098};
  const SweepTimes slow_third_cache{.usual_s = 0.0234, .other_s = 0.0181};
  CHECK(faster_strip(rows, fast_third_cache) == 128);
  CHECK(faster_strip(rows, slow_third_cache) == 32);
  CHECK(tried_strips(rows, fast_third_cache) ==
        TuningChoice{"strips", "128 rows",
                     "in a trial a sweep took 10 ms with 128 rows, 9.8 ms with 32; fewer must be 5 % faster"});
  CHECK(tried_strips(rows, slow_third_cache) ==
        TuningChoice{"strips", "32 rows",
                     "in a trial a sweep took 23.4 ms with 128 rows, 18.1 ms with 32; fewer must be 5 % faster"});
}

TEST_CASE("mg choices: planes are asked for thrice where that is faster, and the reason has both times") {
  const SweepTimes memory_behind{.usual_s = 0.0397, .other_s = 0.0378};
  const SweepTimes memory_ahead{.usual_s = 0.0397, .other_s = 0.0393};
  CHECK(faster_asking(memory_behind) == Asking::thrice);
  CHECK(faster_asking(memory_ahead) == Asking::twice);
  CHECK(tried_asking(memory_behind) ==
        TuningChoice{"asking", "thrice",
                     "in a trial a sweep took 39.7 ms with planes asked for twice before they are read, 37.8 ms "
                     "thrice; thrice must be 2 % faster"});
  CHECK(tried_asking(memory_ahead).chosen == "twice");
}

TEST_CASE("mg choices: what there is to be said without a trial") {
  CHECK(untried_strips(strip_rows_for(32, 1 * mib)) ==
        TuningChoice{"strips", "32 rows", "there are no shorter ones to be tried in this grid"});
}
