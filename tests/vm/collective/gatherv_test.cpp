#include <catch2/catch.hpp>
#include <complex>

#include "support/thread_machine.hpp"
#include "vm/collective/collective_test.hpp"

using namespace nasvm;
using namespace nasvm::test;

TEMPLATE_TEST_CASE("gatherv: the root has all blocks in rank order, uneven and empty ones too", "[collective]", char,
                   double, std::complex<double>) {
  for (const int ranks : rank_counts) {
    for (const std::size_t seed : {0U, 1U, 2U}) {
      const auto counts = uneven_counts(ranks, seed == 2 ? 20'001 : 3, seed);
      const auto expected = all_contributions<TestType>(counts);
      for (const Rank root : {0, ranks / 2, ranks - 1}) {
        INFO("ranks " << ranks << ", seed " << seed << ", root " << root);
        std::vector<TestType> result;
        run_ranks(ranks, [&](Comm& comm) {
          const auto out = contributions<TestType>(comm.rank(), counts[index(comm.rank())]);
          std::vector<TestType> in(comm.rank() == root ? expected.size() : 0);
          comm.gatherv(out, in, counts, root);
          if (comm.rank() == root) result = in;
        });
        REQUIRE(difference(result, expected) == "");
      }
    }
  }
}

TEST_CASE("gather: the root's block may already stand in its place", "[collective]") {
  std::vector<int> result;
  run_ranks(5, [&](Comm& comm) {
    std::vector<int> all(10, comm.rank());
    const auto own = std::span(all).subspan(2 * index(comm.rank()), 2);
    comm.gather(own, all, 3);
    if (comm.rank() == 3) result = all;
  });
  CHECK(result == std::vector<int>{0, 0, 1, 1, 2, 2, 3, 3, 4, 4});
}

TEST_CASE("gatherv: refuses counts that do not fit ranks or buffers", "[collective]") {
  const std::vector<int> out(4);
  std::vector<int> in(4);
  const auto gather_alone = [&](std::vector<std::size_t> counts) {
    run_ranks(1, [&](Comm& comm) { comm.gatherv(out, in, counts); });
  };
  CHECK_NOTHROW(gather_alone({4}));
  CHECK_THROWS_AS(gather_alone({2, 2}), std::invalid_argument);
  CHECK_THROWS_AS(gather_alone({5}), std::invalid_argument);
  in.resize(3);
  CHECK_THROWS_AS(gather_alone({4}), std::invalid_argument);
}

TEST_CASE("gatherv: the root alone may know the counts", "[collective]") {
  const auto counts = uneven_counts(5, 7, 1);
  const auto expected = all_contributions<int>(counts);
  std::vector<int> result;
  run_ranks(5, [&](Comm& comm) {
    const auto out = contributions<int>(comm.rank(), counts[index(comm.rank())]);
    const bool is_root = comm.rank() == 2;
    std::vector<int> in(is_root ? expected.size() : 0);
    comm.gatherv(out, in, is_root ? std::span<const std::size_t>(counts) : std::span<const std::size_t>(), 2);
    if (is_root) result = in;
  });
  CHECK(difference(result, expected) == "");
}
