#include "kernels/common/parallel.hpp"

#include <atomic>
#include <catch2/catch.hpp>
#include <stdexcept>

using nasvm::for_parts;

TEST_CASE("parts: each is done once, and what one throws comes out when all are done") {
  for (const int parts : {1, 2, 5}) {
    std::atomic<int> done = 0;
    for_parts(parts, [&](int) { ++done; });
    CHECK(done == parts);
    done = 0;
    const auto fail_last = [&](int part) {
      ++done;
      if (part == parts - 1) throw std::runtime_error("no memory");
    };
    CHECK_THROWS_WITH(for_parts(parts, fail_last), "no memory");
    CHECK(done == parts);
  }
}
