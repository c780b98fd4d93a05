#include "vm/machine_topology.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <thread>

using namespace nasvm;

TEST_CASE("this computer has caches, from near to far", "[topology]") {
  const std::vector<Cache> caches = data_caches();
  REQUIRE_FALSE(caches.empty());
  CHECK(caches.front().level == 1);
  CHECK(std::ranges::is_sorted(caches, {}, &Cache::level));
  for (const Cache& cache : caches) {
    CHECK(cache.bytes > 0);
    CHECK(cache.shared_by >= 1);
  }
}

TEST_CASE("a bound thread has the core that it is bound to, and that core's caches", "[topology]") {
  const std::vector<int> all = usable_core_numbers();
  REQUIRE_FALSE(all.empty());
  CHECK(usable_cores() == static_cast<int>(all.size()));
  // In a thread of its own, so that the binding ends with it.
  std::thread([&] {
    const std::array last{all.back()};
    if (!bind_to_cores(last)) return;
    CHECK(usable_core_numbers() == std::vector<int>{all.back()});
    CHECK(usable_cores() == 1);
    CHECK(data_caches().front().level == 1);
    CHECK(usable_core_numbers() == std::vector<int>{all.back()});  // asking has not changed it
  }).join();
}
