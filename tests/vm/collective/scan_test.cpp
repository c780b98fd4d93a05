#include <catch2/catch.hpp>

#include "support/thread_machine.hpp"
#include "vm/collective/collective_test.hpp"

using namespace nasvm;
using namespace nasvm::test;

TEMPLATE_TEST_CASE("scan: rank r has the sum of ranks 0 to r", "[collective]", int, double) {
  for (const int ranks : rank_counts) {
    for (const std::size_t length : lengths) {
      INFO("ranks " << ranks << ", length " << length);
      std::vector<std::vector<TestType>> results(index(ranks));
      run_ranks(ranks, [&](Comm& comm) {
        auto& data = results[index(comm.rank())];
        data = contributions<TestType>(comm.rank(), length);
        comm.scan(data);
      });
      for (Rank rank = 0; rank < ranks; ++rank) {
        const auto expected = combined<TestType>(rank + 1, length, Sum{}, contribution<TestType>);
        REQUIRE(difference(results[index(rank)], expected) == "");
      }
    }
  }
}

TEST_CASE("scan: keeps rank order where the operation is not commutative", "[collective]") {
  for (const int ranks : rank_counts) {
    INFO("ranks " << ranks);
    std::vector<std::vector<std::uint64_t>> results(index(ranks));
    run_ranks(ranks, [&](Comm& comm) {
      auto& data = results[index(comm.rank())];
      data = affine_maps(comm.rank(), 7);
      comm.scan(data, Compose{});
    });
    for (Rank rank = 0; rank < ranks; ++rank) {
      const auto expected = combined<std::uint64_t>(rank + 1, 7, Compose{}, affine_map);
      REQUIRE(difference(results[index(rank)], expected) == "");
    }
  }
}
