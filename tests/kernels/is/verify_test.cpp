#include "kernels/is/verify.hpp"

#include <atomic>
#include <catch2/catch.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "kernels/is/keys.hpp"
#include "support/thread_machine.hpp"

using namespace nasvm;
using is::Key;

namespace {

/// Ranks of keys 0..3 where `counts[k]` keys have value k.
is::Ranks ranks_of(std::vector<std::uint8_t> counts) {
  const std::vector<std::span<const std::uint8_t>> parts{counts};
  is::Ranks ranks;
  ranks.build({0, static_cast<std::int64_t>(counts.size())}, 0, parts, {}, 1);
  return ranks;
}

is::Parameters four_values(std::array<std::int64_t, is::tests> test_ranks) {
  is::Parameters problem;
  problem.keys_log2 = 2;
  problem.max_key_log2 = 2;
  problem.buckets_log2 = 1;
  problem.test_ranks = test_ranks;
  return problem;
}

/// A ranking on one task that claims the ranks it is given.
class ClaimedRanking final : public is::Ranking {
 public:
  explicit ClaimedRanking(std::vector<std::uint8_t> counts) : ranks_(ranks_of(std::move(counts))) {}
  is::TestRanks rank(std::span<const Key>, const is::HeldTests&) override { return {}; }
  const is::Ranks& ranks() const override { return ranks_; }
  Rank owner_of(Key) const override { return 0; }
  std::optional<std::span<const std::uint32_t>> home_ranks() const override { return home_ranks_; }
  void release_buffers() override {}

  /// Says that these ranks have come home.
  void claim_home_ranks(std::span<const std::uint32_t> ranks) { home_ranks_ = ranks; }

 private:
  is::Ranks ranks_;
  std::optional<std::span<const std::uint32_t>> home_ranks_;
};

bool order_is_right(const std::vector<Key>& keys, const std::vector<std::uint8_t>& claimed_counts) {
  bool right = false;
  test::run_ranks(1, [&](Comm& comm) {
    ClaimedRanking ranking(claimed_counts);
    right = is::check_order(comm, four_values({}), keys, ranking);
  });
  return right;
}

}  // namespace

TEST_CASE("is verification: counts the test keys of its own range that have their official rank") {
  const is::Ranks ranks = ranks_of({3, 0, 2, 5});  // ranks 0, 3, 3, 5
  const is::TestValues values{0, 1, 2, 3, 77};
  const is::TestRanks known = is::ranks_in_range(ranks, values);
  CHECK(known == is::TestRanks{0, 3, 3, 5, std::nullopt});
  CHECK(is::count_right_ranks(four_values({0, 3, 3, 5, 9}), 1, known) == 4);
  CHECK(is::count_right_ranks(four_values({0, 3, 4, 5, 9}), 1, known) == 3);
  CHECK(is::count_right_ranks(four_values({1, 2, 4, 6, 9}), 1, known) == 0);
}

TEST_CASE("is verification: ranks that sort the keys are right, and no others") {
  CHECK(order_is_right({2, 0, 3, 0}, {2, 0, 1, 1}));
  CHECK_FALSE(order_is_right({2, 0, 3, 0}, {1, 0, 2, 1}));
  CHECK_FALSE(order_is_right({2, 0, 3, 0}, {0, 0, 1, 3}));
  CHECK_FALSE(order_is_right({2, 0, 3, 0}, {9, 0, 1, 1}));
}

TEST_CASE("is verification: a key too many or too few is not right") {
  CHECK_FALSE(order_is_right({2, 0, 3}, {1, 0, 1, 1}));
  CHECK_FALSE(order_is_right({2, 0, 3, 0, 0}, {3, 0, 1, 1}));
}

TEST_CASE("is verification: ranks that came home must be those of the owners") {
  const std::vector<Key> keys{2, 0, 3, 0};
  for (const auto& [home_ranks, right] : {std::pair{std::vector<std::uint32_t>{2, 0, 3, 0}, true},
                                          std::pair{std::vector<std::uint32_t>{2, 0, 3, 1}, false}}) {
    test::run_ranks(1, [&](Comm& comm) {
      ClaimedRanking ranking({2, 0, 1, 1});
      ranking.claim_home_ranks(home_ranks);
      CHECK(is::check_order(comm, four_values({}), keys, ranking) == right);
    });
  }
}

TEST_CASE("is verification: keys that change after the ranking are noticed") {
  for (const auto make : {is::ranking_by_moving_keys, is::ranking_by_histograms, is::ranking_as_in_paper}) {
    for (const int tasks : {1, 4}) {
      for (const bool change : {false, true}) {
        std::atomic<int> right = 0;
        test::run_ranks(tasks, [&](Comm& comm) {
          const is::Parameters& problem = is::parameters('S');
          const Range positions = share(problem.keys(), comm.size(), comm.rank());
          LargeBuffer<Key> keys = is::generate_keys(problem, positions, 1);
          const auto ranking = make(comm, problem, 1);
          ranking->rank(keys.span(), {});
          if (change && comm.rank() == 0) keys[5] = keys[5] / 2 + 1;
          if (is::check_order(comm, problem, keys.span(), *ranking)) ++right;
        });
        if (change) CHECK(right < tasks);
        else CHECK(right == tasks);
      }
    }
  }
}
