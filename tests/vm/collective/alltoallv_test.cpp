#include <catch2/catch.hpp>
#include <complex>

#include "support/thread_machine.hpp"
#include "vm/collective/collective_test.hpp"

using namespace nasvm;
using namespace nasvm::test;

namespace {

/// What `from` has for `to`: a length, zero for many pairs, and values that name the pair.
std::size_t length_between(Rank from, Rank to, std::size_t scale) {
  return (2 * index(from) + index(to)) % 4 * scale;
}

template <typename T>
std::vector<T> block_between(Rank from, Rank to, std::size_t length) {
  std::vector<T> block(length);
  for (std::size_t i = 0; i < length; ++i) block[i] = static_cast<T>((11 * index(from) + 3 * index(to) + i) % 101);
  return block;
}

template <typename T>
void exchange_everything(Comm& comm, std::size_t scale) {
  std::vector<std::size_t> out_counts;
  std::vector<std::size_t> in_counts;
  std::vector<T> out;
  std::vector<T> expected;
  for (Rank peer = 0; peer < comm.size(); ++peer) {
    out_counts.push_back(length_between(comm.rank(), peer, scale));
    in_counts.push_back(length_between(peer, comm.rank(), scale));
    const auto to_peer = block_between<T>(comm.rank(), peer, out_counts.back());
    const auto from_peer = block_between<T>(peer, comm.rank(), in_counts.back());
    out.insert(out.end(), to_peer.begin(), to_peer.end());
    expected.insert(expected.end(), from_peer.begin(), from_peer.end());
  }
  std::vector<T> in(expected.size(), T(102));
  comm.alltoallv(out, out_counts, in, in_counts);
  expect(in == expected, "every block from its sender, in rank order");
}

}  // namespace

TEMPLATE_TEST_CASE("alltoallv: every block reaches its rank, uneven and empty ones too", "[collective]", char, double,
                   std::complex<double>) {
  for (const int ranks : rank_counts) {
    for (const std::size_t scale : {0U, 1U, 5U, 3'001U}) {
      INFO("ranks " << ranks << ", scale " << scale);
      REQUIRE_NOTHROW(run_ranks(ranks, [&](Comm& comm) { exchange_everything<TestType>(comm, scale); }));
    }
  }
}

TEST_CASE("alltoallv: few at a time on larger machines, fewer of long blocks between hosts", "[collective]") {
  const auto hosts = GENERATE(Hosts::one, Hosts::two);
  for (const int ranks : {8, 9, 18, 33, 35}) {
    INFO("ranks " << ranks);
    REQUIRE_NOTHROW(run_ranks(
        ranks, [&](Comm& comm) { exchange_everything<int>(comm, 3); }, Memory::closed, hosts));
    // One and a half of these on average.
    if (ranks > 18) continue;
    REQUIRE_NOTHROW(run_ranks(
        ranks, [&](Comm& comm) { exchange_everything<char>(comm, 50'001); }, Memory::closed, hosts));
  }
}

TEST_CASE("alltoallv: long blocks of ranks that fetch from each other", "[collective]") {
  // All have more than 64 KiB for each rank on average; one has nothing for some, and 18 are more than go at once.
  for (const int ranks : {2, 3, 18}) {
    INFO("ranks " << ranks);
    REQUIRE_NOTHROW(run_ranks(
        ranks, [](Comm& comm) { exchange_everything<char>(comm, 150'001); }, Memory::open));
  }
}

TEST_CASE("alltoall: transposes", "[collective]") {
  for (const int ranks : rank_counts) {
    run_ranks(ranks, [](Comm& comm) {
      std::vector<int> out;
      for (Rank to = 0; to < comm.size(); ++to) out.push_back(100 * comm.rank() + to);
      std::vector<int> in(out.size());
      comm.alltoall(out, in);
      for (Rank from = 0; from < comm.size(); ++from) {
        expect(in[index(from)] == 100 * from + comm.rank(), "element from " + std::to_string(from));
      }
    });
  }
}

TEST_CASE("alltoallv: refuses counts that do not fit ranks, buffers or each other", "[collective]") {
  const std::vector<int> out(4);
  std::vector<int> in(4);
  const auto exchange_alone = [&](std::vector<std::size_t> out_counts, std::vector<std::size_t> in_counts) {
    run_ranks(1, [&](Comm& comm) { comm.alltoallv(out, out_counts, in, in_counts); });
  };
  CHECK_NOTHROW(exchange_alone({4}, {4}));
  CHECK_THROWS_AS(exchange_alone({2, 2}, {4}), std::invalid_argument);
  CHECK_THROWS_AS(exchange_alone({4}, {}), std::invalid_argument);
  CHECK_THROWS_AS(exchange_alone({5}, {4}), std::invalid_argument);
  CHECK_THROWS_AS(exchange_alone({4}, {5}), std::invalid_argument);
  CHECK_THROWS_AS(exchange_alone({4}, {3}), std::invalid_argument);
}
