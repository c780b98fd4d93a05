#include "kernels/common/random.hpp"

#include <catch2/catch.hpp>

using nasvm::NpbRandom;

TEST_CASE("random: the first states are those of the problem tables") {
  CHECK(NpbRandom(314159265).next_state() == 55909509111989);
  CHECK(NpbRandom(271828183).next_state() == 32883653486115);
}

TEST_CASE("random: a uniform is the stepped state over 2^46, never the seed") {
  NpbRandom random(314159265);
  CHECK(random.next() == 55909509111989 * 0x1p-46);
  CHECK(random.state() == 55909509111989);
}

TEST_CASE("random: skipping is the same as stepping") {
  for (const std::uint64_t steps : {0, 1, 2, 3, 17, 1000, 65537}) {
    NpbRandom stepped(271828183);
    for (std::uint64_t i = 0; i < steps; ++i) stepped.next();
    NpbRandom skipped(271828183);
    skipped.skip(steps);
    CHECK(skipped.state() == stepped.state());
  }
}

TEST_CASE("random: skips add up, and the period of an odd seed is 2^44") {
  NpbRandom twice(314159265);
  twice.skip(std::uint64_t{1} << 40);
  twice.skip(12345);
  NpbRandom once(314159265);
  once.skip((std::uint64_t{1} << 40) + 12345);
  CHECK(twice.state() == once.state());
  NpbRandom around(314159265);
  around.skip(std::uint64_t{1} << 44);
  CHECK(around.state() == 314159265);
  NpbRandom half(314159265);
  half.skip(std::uint64_t{1} << 43);
  CHECK(half.state() != 314159265);
}
