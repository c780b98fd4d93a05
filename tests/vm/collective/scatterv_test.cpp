#include <catch2/catch.hpp>
#include <complex>

#include "support/thread_machine.hpp"
#include "vm/collective/collective_test.hpp"

using namespace nasvm;
using namespace nasvm::test;

TEMPLATE_TEST_CASE("scatterv: every rank has its block, uneven and empty ones too", "[collective]", char, double,
                   std::complex<double>) {
  for (const int ranks : rank_counts) {
    for (const std::size_t seed : {0U, 1U, 2U}) {
      const auto counts = uneven_counts(ranks, seed == 2 ? 20'001 : 3, seed);
      const auto all = all_contributions<TestType>(counts);
      for (const Rank root : {0, ranks / 2, ranks - 1}) {
        INFO("ranks " << ranks << ", seed " << seed << ", root " << root);
        std::vector<std::vector<TestType>> results(index(ranks));
        run_ranks(ranks, [&](Comm& comm) {
          auto& in = results[index(comm.rank())];
          in.resize(counts[index(comm.rank())]);
          comm.scatterv(comm.rank() == root ? all : std::vector<TestType>{}, in, counts, root);
        });
        for (Rank rank = 0; rank < ranks; ++rank) {
          REQUIRE(difference(results[index(rank)], contributions<TestType>(rank, counts[index(rank)])) == "");
        }
      }
    }
  }
}

TEST_CASE("scatter: undoes a gather", "[collective]") {
  run_ranks(6, [](Comm& comm) {
    const auto before = contributions<float>(comm.rank(), 5);
    std::vector<float> all(30);
    std::vector<float> after(5);
    comm.gather(before, all, 4);
    comm.scatter(all, after, 4);
    expect(after == before, "what was gathered comes back");
  });
}

TEST_CASE("scatterv: refuses counts that do not fit ranks or buffers", "[collective]") {
  const std::vector<int> out(4);
  std::vector<int> in(4);
  const auto scatter_alone = [&](std::vector<std::size_t> counts) {
    run_ranks(1, [&](Comm& comm) { comm.scatterv(out, in, counts); });
  };
  CHECK_NOTHROW(scatter_alone({4}));
  CHECK_THROWS_AS(scatter_alone({2, 2}), std::invalid_argument);
  CHECK_THROWS_AS(scatter_alone({5}), std::invalid_argument);
  in.resize(3);
  CHECK_THROWS_AS(scatter_alone({4}), std::invalid_argument);
}

TEST_CASE("scatterv: the root alone may know the counts", "[collective]") {
  const std::vector<std::size_t> counts{3, 0, 2, 5};
  std::vector<int> wrong(4, 1);
  run_ranks(4, [&](Comm& comm) {
    const bool is_root = comm.rank() == 1;
    std::vector<int> out;
    for (std::size_t rank = 0; is_root && rank < counts.size(); ++rank)
      out.insert(out.end(), counts[rank], int(rank));
    std::vector<int> in(counts[index(comm.rank())], -1);
    comm.scatterv(out, in, is_root ? std::span<const std::size_t>(counts) : std::span<const std::size_t>(), 1);
    wrong[index(comm.rank())] = in == std::vector<int>(in.size(), comm.rank()) ? 0 : 1;
  });
  CHECK(wrong == std::vector<int>(4, 0));
}
