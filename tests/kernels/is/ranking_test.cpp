#include "kernels/is/ranking.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <catch2/catch.hpp>
#include <vector>

#include "support/thread_machine.hpp"

using namespace nasvm;
using is::Key;

namespace {

using MakeRanking = std::unique_ptr<is::Ranking> (*)(Comm&, const is::Parameters&, int);

/// A small problem whose keys the test chooses.
is::Parameters small_problem() {
  is::Parameters problem;
  problem.keys_log2 = 12;
  problem.max_key_log2 = 6;
  problem.buckets_log2 = 3;
  return problem;
}

/// The first and the last key of all, as far as this task holds them, are test keys 0 and 1.
is::HeldTests first_and_last(std::int64_t keys, Range mine) {
  is::HeldTests held;
  if (mine.contains(0)) held[0] = 0;
  if (mine.contains(keys - 1)) held[1] = static_cast<std::size_t>(keys - 1 - mine.begin);
  return held;
}

/// Ranks `keys` with each task holding its share, twice, and checks all ranks against sorted keys.
void check_ranks(MakeRanking make, const std::vector<Key>& keys, int tasks, int threads,
                 test::Memory memory = test::Memory::closed) {
  const is::Parameters problem = small_problem();
  std::vector<Key> sorted = keys;
  std::sort(sorted.begin(), sorted.end());
  const auto rank_of = [&](Key key) {
    return static_cast<std::uint64_t>(std::lower_bound(sorted.begin(), sorted.end(), key) - sorted.begin());
  };
  std::atomic<int> wrong = 0;
  std::array<std::atomic<int>, is::tests> tellers{};
  std::atomic<std::int64_t> values = 0;
  const auto rank_and_check = [&](Comm& comm) {
    const Range mine = share(static_cast<std::int64_t>(keys.size()), comm.size(), comm.rank());
    const std::vector<Key> own(keys.begin() + mine.begin, keys.begin() + mine.end);
    const auto ranking = make(comm, problem, threads);
    const is::HeldTests held = first_and_last(static_cast<std::int64_t>(keys.size()), mine);
    ranking->warm_up(own, held);
    const is::TestRanks known = ranking->rank(own, held);
    for (const std::size_t test : {0, 1}) {
      if (known[test]) ++tellers[test];
      if (known[test] && *known[test] != rank_of(test == 0 ? keys.front() : keys.back())) ++wrong;
    }
    if (const auto home = ranking->home_ranks()) {
      if (!std::ranges::equal(*home, own, {}, {}, rank_of)) ++wrong;
    }
    for (Key key = 0; key < static_cast<Key>(problem.max_key()); ++key) {
      if ((ranking->owner_of(key) == comm.rank()) != ranking->ranks().contains(key)) ++wrong;
      if (!ranking->ranks().contains(key)) continue;
      ++values;
      if (ranking->ranks()[key] != rank_of(key)) ++wrong;
    }
  };
  test::run_ranks(tasks, rank_and_check, memory);
  CHECK(wrong == 0);
  CHECK(tellers[0] == 1);
  CHECK(tellers[1] == 1);
  CHECK(values == problem.max_key());
}

std::unique_ptr<is::Ranking> ranking_in_short_rounds(Comm& comm, const is::Parameters& problem, int threads) {
  return is::ranking_in_rounds(comm, problem, threads, 200);
}

void check_ranks_everywhere(const std::vector<Key>& keys) {
  for (const MakeRanking make :
       {is::ranking_by_moving_keys, ranking_in_short_rounds, is::ranking_by_histograms, is::ranking_as_in_paper}) {
    for (const int tasks : {1, 2, 3, 7, 70}) check_ranks(make, keys, tasks, 1);
    check_ranks(make, keys, 3, 2);
  }
  // Counted where others have packed them.
  for (const MakeRanking make : {is::ranking_by_moving_keys, ranking_in_short_rounds}) {
    for (const int tasks : {2, 3, 7, 70}) check_ranks(make, keys, tasks, 1, test::Memory::shared);
    check_ranks(make, keys, 3, 2, test::Memory::shared);
    check_ranks(make, keys, 3, 1, test::Memory::unshared_by_one);
  }
}

}  // namespace

TEST_CASE("is ranking: keys spread over all values") {
  std::vector<Key> keys(4096);
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = static_cast<Key>((i * 2654435761U >> 7) % 64);
  check_ranks_everywhere(keys);
}

TEST_CASE("is ranking: all keys equal, so that one task owns them all and counters overflow") {
  check_ranks_everywhere(std::vector<Key>(4096, 37));
}

TEST_CASE("is ranking: only the smallest and the largest value, and fewer keys than tasks") {
  check_ranks_everywhere({0, 63, 63, 0, 0});
}

TEST_CASE("is ranking: the room for a round, which each of P blocks has, stops growing with P") {
  CHECK(is::default_round_keys(1) == 1 << 19);
  CHECK(is::default_round_keys(4) == 1 << 19);
  CHECK(is::default_round_keys(8) == 1 << 20);
  CHECK(is::default_round_keys(16) == 1 << 21);
  CHECK(is::default_round_keys(17) == 1 << 21);
  CHECK(is::default_round_keys(1024) == 1 << 21);
}
