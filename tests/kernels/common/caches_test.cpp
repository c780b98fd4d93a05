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

TEST_CASE("caches: a second-level cache that several cores share is none of a core's own") {
  const std::vector<Cache> four_small_cores{{1, 32 << 10, 1}, {2, 4 << 20, 4}, {3, 36 << 20, 24}};
  const std::vector<Cache> two_threads_each{{1, 48 << 10, 2}, {2, 2 << 20, 2}, {3, 36 << 20, 24}};
  CHECK(own_cache(four_small_cores) == four_small_cores[0]);
  CHECK(own_cache(two_threads_each) == two_threads_each[1]);
  CHECK_FALSE(is_own(four_small_cores[1], four_small_cores));
  CHECK(is_own(two_threads_each[1], two_threads_each));
  CHECK(own_bytes(four_small_cores) == 1 << 20);
  CHECK(own_bytes(two_threads_each) == 2 << 20);
}

TEST_CASE("caches: a third-level cache is shared, also where a virtual machine has one core") {
  const std::vector<Cache> one_core{{1, 32 << 10, 1}, {2, 1 << 20, 1}, {3, 32 << 20, 1}};
  CHECK_FALSE(is_own(one_core[2], one_core));
  CHECK(own_cache(one_core) == one_core[1]);
  CHECK(own_bytes(one_core) == 1 << 20);
}

TEST_CASE("caches: those of this process are asked for once") {
  CHECK(caches_here() == data_caches());
  CHECK(&caches_here() == &caches_here());
}
