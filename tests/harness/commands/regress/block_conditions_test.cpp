#include "harness/commands/regress/block_conditions.hpp"

#include <catch2/catch.hpp>

using namespace nasvm;

namespace {

using Lines = std::vector<std::string>;

std::vector<Sampled> under(const std::vector<double>& core_to_core_ns) {
  std::vector<Sampled> all;
  for (const double ns : core_to_core_ns) all.push_back({Conditions{ns, 12, 0, 0, 10}, false});
  return all;
}

}  // namespace

TEST_CASE("block conditions: a block is steady when each side's launches were taken under the same, known or not") {
  CHECK(is_steady_block(under({55, 60}), under({50, 55})));
  // The builds' probes may measure differently, and who is in the middle of a block had another place.
  CHECK(is_steady_block(under({55, 55}), under({23, 23})));
  CHECK_FALSE(is_steady_block(under({55, 55}), under({55, 23})));
  CHECK_FALSE(is_steady_block(under({55, 23}), under({55, 23})));
  CHECK(is_steady_block(std::vector<Sampled>(2), std::vector<Sampled>(2)));
  std::vector<Sampled> changed = under({55, 55});
  changed[1].changed = true;
  CHECK_FALSE(is_steady_block(under({55, 55}), changed));
  CHECK_FALSE(is_steady_block(changed, under({55, 55})));
}

TEST_CASE("block conditions: which side is which does not matter, as the coin decides that") {
  const std::vector<std::vector<Sampled>> sides{under({55, 55}), under({55, 70}), under({70, 100}), under({23, 250}),
                                                std::vector<Sampled>(2)};
  for (const auto& a : sides) {
    for (const auto& b : sides) CHECK(is_steady_block(a, b) == is_steady_block(b, a));
  }
}

TEST_CASE("block conditions: at most half as many blocks as are wanted are taken again; the others count") {
  ChangedBlocks changed;
  const auto apart = [&](std::size_t wanted) {
    return is_set_apart(under({55, 23}), under({55, 55}), wanted, changed);
  };
  for (int i = 0; i < 4; ++i) CHECK(apart(8));
  for (int i = 0; i < 8; ++i) CHECK_FALSE(apart(8));
  CHECK(changed == ChangedBlocks{4, 8});
  for (int i = 0; i < 3; ++i) CHECK(apart(14));
  CHECK_FALSE(apart(14));
  CHECK_FALSE(is_set_apart(under({55, 55}), under({55, 55}), 24, changed));
  CHECK(changed == ChangedBlocks{7, 9});
}

TEST_CASE("block conditions: lines for people say them of each side, and that they differ") {
  CHECK(
      condition_lines_of(under({55, 55, 60}), under({50})) ==
      Lines{"Conditions of base: core to core 55 ns, memory 12.0 GB/s, stolen 0.0 % of a core, load by others 0.0.",
            "Conditions of new:  core to core 50 ns, memory 12.0 GB/s, stolen 0.0 % of a core, load by others 0.0."});
  CHECK(condition_lines_of(under({55}), under({23})).back() ==
        "Base and new were measured under different conditions: what differs between them may come from that.");
  CHECK(condition_lines_of({}, std::vector<Sampled>(3)).empty());
}

TEST_CASE("block conditions: a line says how many blocks were taken again, and how many count all the same") {
  CHECK(text_of(ChangedBlocks{}, 8).empty());
  CHECK(text_of(ChangedBlocks{1, 0}, 8) == "Conditions changed in 1 of 9 blocks: 1 was taken again.");
  CHECK(
      text_of(ChangedBlocks{4, 2}, 8) ==
      "Conditions changed in 6 of 12 blocks: 4 were taken again, 2 count all the same, as at most half as many again "
      "are.");
}
