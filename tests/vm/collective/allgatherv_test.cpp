#include <catch2/catch.hpp>
#include <complex>

#include "support/thread_machine.hpp"
#include "vm/collective/collective_test.hpp"

using namespace nasvm;
using namespace nasvm::test;

namespace {

template <typename T>
void check_allgatherv(const std::vector<std::size_t>& counts) {
  const auto ranks = static_cast<int>(counts.size());
  const auto expected = all_contributions<T>(counts);
  std::vector<std::vector<T>> results(counts.size());
  run_ranks(ranks, [&](Comm& comm) {
    auto& in = results[index(comm.rank())];
    in.resize(expected.size());
    comm.allgatherv(contributions<T>(comm.rank(), counts[index(comm.rank())]), in, counts);
  });
  for (const auto& result : results) REQUIRE(difference(result, expected) == "");
}

}  // namespace

TEMPLATE_TEST_CASE("allgatherv: everybody has all blocks, uneven and empty ones too", "[collective]", char, double,
                   std::complex<double>) {
  for (const int ranks : rank_counts) {
    for (const std::size_t seed : {0U, 1U, 2U}) {
      for (const std::size_t scale : {0U, 1U, 5U, 20'001U}) {
        INFO("ranks " << ranks << ", seed " << seed << ", scale " << scale);
        check_allgatherv<TestType>(uneven_counts(ranks, scale, seed));
      }
    }
  }
}

TEST_CASE("allgatherv: one rank may have everything", "[collective]") {
  for (const int ranks : rank_counts) {
    for (const std::size_t length : {3U, 40'000U}) {
      INFO("ranks " << ranks << ", length " << length);
      std::vector<std::size_t> counts(index(ranks), 0);
      counts[index(ranks / 2)] = length;
      check_allgatherv<int>(counts);
    }
  }
}

TEST_CASE("allgather: the own block may already stand in its place", "[collective]") {
  for (const std::size_t length : {2U, 20'000U}) {
    run_ranks(5, [&](Comm& comm) {
      std::vector<int> all(5 * length, comm.rank());
      comm.allgather(std::span(all).subspan(length * index(comm.rank()), length), all);
      for (std::size_t i = 0; i < all.size(); ++i) {
        expect(index(all[i]) == i / length, "block of rank " + std::to_string(i / length));
      }
    });
  }
}
