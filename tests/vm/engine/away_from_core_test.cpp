#include "vm/engine/away_from_core.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <thread>

#include "support/skip.hpp"
#include "vm/machine_topology.hpp"

using namespace nasvm;
using engine::AwayFromCore;

TEST_CASE("a thread that has left a core may come back, whichever thread says so", "[engine]") {
  const std::vector<int> all = usable_core_numbers();
  if (all.size() < 2) return test::skip("there is one core only");
  // In a thread of its own, so that what it does to its cores ends with it.
  std::thread([&] {
    AwayFromCore away;
    CHECK(away.leave(all.front()));
    CHECK(usable_core_numbers() == std::vector<int>(all.begin() + 1, all.end()));
    std::thread([&] {
      CHECK(bind_to_cores(std::array{all.front()}));
      away.come_back();
      CHECK(usable_core_numbers() == std::vector<int>{all.front()});
    }).join();
    CHECK(usable_core_numbers() == all);
    {
      AwayFromCore for_a_while;
      CHECK(for_a_while.leave(all.back()));
    }
    CHECK(usable_core_numbers() == all);
  }).join();
}

TEST_CASE("cores that somebody has chosen meanwhile stay, and the only one cannot be left", "[engine]") {
  const std::vector<int> all = usable_core_numbers();
  if (all.size() < 2) return test::skip("there is one core only");
  std::thread([&] {
    AwayFromCore away;
    CHECK(away.leave(all.back()));
    CHECK(bind_to_cores(std::array{all.back()}));
    away.come_back();
    CHECK(usable_core_numbers() == std::vector<int>{all.back()});
    CHECK_FALSE(away.leave(all.back()));
    CHECK(usable_core_numbers() == std::vector<int>{all.back()});
  }).join();
}
