#include "kernels/common/caches.hpp"

#include <vector>

#include <catch2/catch.hpp>

using namespace nasvm;

TEST_CASE("caches: a core's own one is the largest that is not shared by the chip") {
  const Cache first{1, 32 << 10, 2};
  const Cache second{2, 1 << 20, 2};
  const Cache third{3, 32 << 20, 16};
  CHECK(own_cache(std::vector{first, second, third}) == second);
  CHECK(own_cache(std::vector{first, second}) == second);
  CHECK(own_cache(std::vector{first, third}) == first);
  CHECK(own_cache(std::vector{third}) == third);
}

TEST_CASE("caches: those of this process are asked for once") {
  CHECK(caches_here() == data_caches());
  CHECK(&caches_here() == &caches_here());
}
