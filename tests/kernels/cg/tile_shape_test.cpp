#include <catch2/catch.hpp>

#include "kernels/cg/tile_shape.hpp"

using namespace nasvm::cg;

TEST_CASE("cg: tiles are as wide as the first-level cache allows") {
  CHECK(columns_for(32 << 10) == 2048);   // Zen 4, Cascade Lake
  CHECK(columns_for(48 << 10) == 3584);   // Zen 5, Ice Lake
  CHECK(columns_for(64 << 10) == 4608);   // Neoverse N1
  CHECK(columns_for(128 << 10) == 9216);  // Apple M1
}

TEST_CASE("cg: tiles have columns, and no more than their numbers can count, whatever the cache is said to be") {
  CHECK(columns_for(0) == 512);
  CHECK(columns_for(1 << 10) == 512);
  CHECK(columns_for(std::uint64_t{1} << 40) == 1 << offset_bits);
}
