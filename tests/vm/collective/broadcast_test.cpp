#include <catch2/catch.hpp>
#include <complex>

#include "support/thread_machine.hpp"
#include "vm/collective/collective_test.hpp"

using namespace nasvm;
using namespace nasvm::test;

TEMPLATE_TEST_CASE("broadcast: everybody has the root's data", "[collective]", std::uint8_t, float, double,
                   std::complex<double>) {
  for (const int ranks : rank_counts) {
    for (const std::size_t length : lengths) {
      for (const Rank root : {0, ranks / 2, ranks - 1}) {
        INFO("ranks " << ranks << ", length " << length << ", root " << root);
        const auto expected = contributions<TestType>(root + 1, length);
        std::vector<std::vector<TestType>> results(index(ranks));
        run_ranks(ranks, [&](Comm& comm) {
          auto& data = results[index(comm.rank())];
          data = comm.rank() == root ? expected : std::vector<TestType>(length, TestType(99));
          comm.broadcast(data, root);
        });
        for (const auto& result : results) REQUIRE(difference(result, expected) == "");
      }
    }
  }
}

TEST_CASE("broadcast: refuses a root that is not a rank", "[collective]") {
  CHECK_THROWS_AS(run_ranks(2, [](Comm& comm) { comm.broadcast(std::vector<int>(3), 2); }), std::invalid_argument);
}
