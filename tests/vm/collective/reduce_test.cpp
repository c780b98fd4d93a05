#include <catch2/catch.hpp>
#include <complex>

#include "support/thread_machine.hpp"
#include "vm/collective/collective_test.hpp"

using namespace nasvm;
using namespace nasvm::test;

TEMPLATE_TEST_CASE("reduce: the root has the sum", "[collective]", int, double, std::complex<double>) {
  for (const int ranks : rank_counts) {
    for (const std::size_t length : lengths) {
      const auto expected = combined<TestType>(ranks, length, Sum{}, contribution<TestType>);
      for (const Rank root : {0, ranks - 1}) {
        INFO("ranks " << ranks << ", length " << length << ", root " << root);
        std::vector<TestType> result;
        run_ranks(ranks, [&](Comm& comm) {
          auto data = contributions<TestType>(comm.rank(), length);
          comm.reduce(data, Sum{}, root);
          if (comm.rank() == root) result = data;
        });
        REQUIRE(difference(result, expected) == "");
      }
    }
  }
}

TEST_CASE("reduce: takes the smallest and the largest", "[collective]") {
  std::vector<int> smallest;
  std::vector<int> largest;
  run_ranks(7, [&](Comm& comm) {
    std::vector<int> low{comm.rank() - 3, 10 * comm.rank()};
    auto high = low;
    comm.reduce(low, Min{}, 2);
    comm.reduce(high, Max{}, 2);
    if (comm.rank() != 2) return;
    smallest = low;
    largest = high;
  });
  CHECK(smallest == std::vector<int>{-3, 0});
  CHECK(largest == std::vector<int>{3, 60});
}

TEST_CASE("reduce: keeps rank order where the operation is not commutative, for every root", "[collective]") {
  for (const int ranks : rank_counts) {
    const auto expected = combined<std::uint64_t>(ranks, 7, Compose{}, affine_map);
    for (Rank root = 0; root < ranks; ++root) {
      INFO("ranks " << ranks << ", root " << root);
      std::vector<std::uint64_t> result;
      run_ranks(ranks, [&](Comm& comm) {
        auto data = affine_maps(comm.rank(), 7);
        comm.reduce(data, Compose{}, root);
        if (comm.rank() == root) result = data;
      });
      REQUIRE(difference(result, expected) == "");
    }
  }
}
