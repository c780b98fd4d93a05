#include "kernels/cg/choices.hpp"

#include <vector>

#include <catch2/catch.hpp>

#include "kernels/cg/matrix.hpp"
#include "kernels/cg/processors.hpp"

using namespace nasvm;
using namespace nasvm::cg;
using namespace nasvm::cg::test;

TEST_CASE("cg choices: the reasons follow the caches of several processors") {
  struct Expected {
    const char* columns;
    const char* tile;
    const char* full;
    const char* faster;
    const char* half;
  };
  const std::vector<Expected> table{
      {"2048", "7/12 of a first-level cache of 32 KiB", "512 KiB: in a core's own caches (1 MiB)",
       "2 MiB: in a shared cache (32 MiB); the fastest in a trial", "33 MiB: beyond all caches (32 MiB)"},
      {"2048", "7/12 of a first-level cache of 32 KiB", "256 KiB: in a core's own caches (512 KiB)",
       "1 MiB: in a shared cache (32 MiB); the fastest in a trial", "33 MiB: beyond all caches (32 MiB)"},
      {"2048", "7/12 of a first-level cache of 32 KiB", "512 KiB: in a core's own caches (1 MiB)",
       "2 MiB: in a shared cache (36 MiB); the fastest in a trial", "37 MiB: beyond all caches (36 MiB)"},
      {"3584", "7/12 of a first-level cache of 48 KiB", "1 MiB: in a core's own caches (2 MiB)",
       "4 MiB: in a shared cache (105 MiB); the fastest in a trial", "106 MiB: beyond all caches (105 MiB)"},
  };
  REQUIRE(table.size() == processors.size());
  for (std::size_t i = 0; i < processors.size(); ++i) {
    const Processor& processor = processors[i];
    INFO(processor.name);
    const std::uint64_t own = processor.caches[1].bytes;
    const double beyond = elements_in(processor.caches[2].bytes + mib);
    const SlabForm full{.halved = false, .hint = CacheHint::second};
    const SlabForm half{.halved = true, .hint = CacheHint::once};
    CHECK(tile_choice(processor.caches[0].bytes) == TuningChoice{"tile columns", table[i].columns, table[i].tile});
    CHECK(form_choice(elements_in(own / 2), {}, processor.caches) ==
          TuningChoice{"slab form", "full", table[i].full});
    CHECK(form_choice(elements_in(2 * own), full, processor.caches) ==
          TuningChoice{"slab form", "full", table[i].faster});
    CHECK(form_choice(elements_in(2 * own), half, processor.caches) ==
          TuningChoice{"slab form", "half square", table[i].faster});
    CHECK(form_choice(beyond, half, processor.caches) == TuningChoice{"slab form", "half square", table[i].half});
    CHECK(hint_choice(elements_in(2 * own), full, processor.caches) ==
          TuningChoice{"cache hint", "second level", "the fastest in a trial"});
    CHECK(hint_choice(beyond, half, processor.caches) ==
          TuningChoice{"cache hint", "once", "the fastest in a trial"});
    CHECK(hint_choice(elements_in(own / 2), {}, processor.caches).chosen == "keep");
    CHECK_THAT(hint_choice(elements_in(own / 2), {}, processor.caches).why, Catch::StartsWith("not tried in a core"));
  }
}

TEST_CASE("cg choices: of the caches that cores share the reason names the one that holds a slab") {
  const std::vector<Cache> caches{{1, 32 * kib, 1}, {2, 4 * mib, 4}, {3, 36 * mib, 24}};
  CHECK(form_choice(elements_in(1 * mib), {}, caches).why ==
        "1 MiB: in a shared cache (4 MiB); the fastest in a trial");
  CHECK(form_choice(elements_in(5 * mib), {}, caches).why ==
        "5 MiB: in a shared cache (36 MiB); the fastest in a trial");
}

TEST_CASE("cg choices: what is known before a run are the tiles, and where sizes decide") {
  CHECK(choices_for(processors[0].caches) ==
        TuningChoices{
            {"tile columns", "2048", "7/12 of a first-level cache of 32 KiB"},
            {"slab form", "by size",
             "full in a core's own caches (1 MiB), half square beyond all (32 MiB); in between the faster one, by "
             "trial in each run"},
            {"cache hint", "by trial", "in each run, of slabs beyond 1 MiB"},
        });
  CHECK(choices_for(processors[1].caches) ==
        TuningChoices{
            {"tile columns", "2048", "7/12 of a first-level cache of 32 KiB"},
            {"slab form", "by size",
             "full in a core's own caches (512 KiB), half square beyond all (32 MiB); in between the faster one, by "
             "trial in each run"},
            {"cache hint", "by trial", "in each run, of slabs beyond 512 KiB"},
        });
  const std::vector<Cache> without_shared{{1, 32 * kib, 1}, {2, 1 * mib, 1}};
  CHECK(choices_for(without_shared)[1].why == "full in a core's own caches (1 MiB), half square beyond all (1 MiB)");
}

TEST_CASE("cg choices: a matrix tells those of its first slab") {
  const Parameters problem{'T', 500, 6, 1, 7.0, 0.0};
  const Matrix matrix(problem, {0, 500}, IntervalSet({{0, 500}}), 1);
  REQUIRE(matrix.choices().size() == 3);
  CHECK(matrix.choices()[0] == tile_choice(data_caches().front().bytes));
  CHECK(matrix.choices()[1].what == "slab form");
  CHECK(matrix.choices()[1].chosen == "full");  // 240 KiB
}
