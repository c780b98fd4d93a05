#include "vm/machine_topology.hpp"

#include <sched.h>
#include <sys/syscall.h>

#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <thread>
#include <vector>

#include "support/environment_variable.hpp"
#include "support/refused_calls.hpp"
#include "support/skip.hpp"

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

TEST_CASE("caches of some cores are those that they use, however cores are numbered", "[topology]") {
  // Two packages of two cores, whose two hardware threads are numbered n and n + 4.
  const test::EnvironmentVariable topology("HWLOC_SYNTHETIC",
                                           "package:2 l3:1(size=33554432) l2:2(size=1048576) l1d:1(size=32768) "
                                           "pu:2(indexes=0,4,1,5,2,6,3,7)");
  constexpr std::uint64_t first = 32 << 10;
  constexpr std::uint64_t second = 1 << 20;
  constexpr std::uint64_t third = 32 << 20;
  const auto check = [&](const std::vector<int>& cores, const std::vector<CacheLevel>& expected) {
    CAPTURE(cores);
    CHECK(cache_levels(cores) == expected);
  };
  check({0}, {{1, first, first}, {2, second, second}, {3, third, third}});
  // One after the other they are of different cores,
  check({0, 1}, {{1, 2 * first, first}, {2, 2 * second, second}, {3, third, third / 2}});
  // of one core,
  check({0, 4}, {{1, first, first / 2}, {2, second, second / 2}, {3, third, third / 2}});
  // or of different packages, as where only some may be used.
  check({0, 2}, {{1, 2 * first, first}, {2, 2 * second, second}, {3, 2 * third, third}});
  check({0, 1, 2}, {{1, 3 * first, first}, {2, 3 * second, second}, {3, 2 * third, third / 2}});
  check({0, 1, 2, 3, 4, 5, 6, 7},
        {{1, 4 * first, first / 2}, {2, 4 * second, second / 2}, {3, 2 * third, third / 4}});
}

TEST_CASE("a system that may have more than 1024 cores tells which may be used", "[topology]") {
  const std::vector<int> all = usable_core_numbers();
  REQUIRE_FALSE(all.empty());
  constexpr test::CallArgument room_for_1024{1, sizeof(cpu_set_t)};
  bool is_filtered = false;
  std::vector<int> found;
  bool is_bound = false;
  // The filters are of this thread alone, and so is what it is bound to.
  std::thread([&] {
    is_filtered = test::refuse_call(SYS_sched_getaffinity, EINVAL, {room_for_1024}) &&
                  test::refuse_call(SYS_sched_setaffinity, EINVAL, {room_for_1024});
    if (!is_filtered) return;
    found = usable_core_numbers();
    // A core that is not there does no harm.
    is_bound = bind_to_cores(std::array{all.front(), 1024});
  }).join();
  if (!is_filtered) return test::skip("this system forbids filters of system calls");
  CHECK(found == all);
  CHECK(is_bound);
}
