#include "kernels/is/buckets.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <numeric>
#include <random>

using namespace nasvm;
using is::Key;

namespace {

/// Counts with a peak in the middle, empty buckets and one heavy one.
std::vector<std::uint64_t> uneven_counts(std::size_t buckets) {
  std::mt19937 random(7);
  std::vector<std::uint64_t> counts(buckets);
  for (std::size_t i = 0; i < buckets; ++i) counts[i] = random() % 3 == 0 ? 0 : std::min(i, buckets - i) * 10;
  counts[buckets / 3] = 5000;
  return counts;
}

}  // namespace

TEST_CASE("is buckets: no task gets more keys than its share and one bucket, and every bucket has an owner") {
  for (const std::size_t buckets : {1, 8, 512}) {
    const std::vector<std::uint64_t> counts = uneven_counts(buckets);
    const std::uint64_t keys = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
    const std::uint64_t heaviest = *std::max_element(counts.begin(), counts.end());
    for (int tasks = 1; tasks <= 20; ++tasks) {
      const std::vector<Rank> owners = is::balanced_owners(counts, tasks);
      REQUIRE(owners.size() == buckets);
      CHECK(std::is_sorted(owners.begin(), owners.end()));
      std::int64_t end = 0;
      for (Rank owner = 0; owner < tasks; ++owner) {
        const Range mine = is::KeyOwners(owners, 0, tasks).range(owner);
        CHECK(mine.begin == end);
        end = mine.end;
        const auto owned = std::accumulate(counts.begin() + mine.begin, counts.begin() + mine.end, std::uint64_t{0});
        CHECK(owned <= keys / static_cast<std::uint64_t>(tasks) + 1 + heaviest);
      }
      CHECK(end == static_cast<std::int64_t>(buckets));
    }
  }
}

TEST_CASE("is buckets: equal buckets are dealt evenly") {
  const std::vector<std::uint64_t> counts(8, 100);
  CHECK(is::balanced_owners(counts, 4) == std::vector<Rank>{0, 0, 1, 1, 2, 2, 3, 3});
}

TEST_CASE("is buckets: without keys all buckets still have an owner") {
  const std::vector<std::uint64_t> counts(4);
  CHECK(is::balanced_owners(counts, 3) == std::vector<Rank>{0, 0, 0, 0});
}

TEST_CASE("is buckets: there are enough for all tasks, but not more than key values") {
  CHECK(is::buckets_log2(is::parameters('A'), 2) == 10);
  CHECK(is::buckets_log2(is::parameters('A'), 32) == 10);
  CHECK(is::buckets_log2(is::parameters('A'), 33) == 11);
  CHECK(is::buckets_log2(is::parameters('S'), 1000) == 11);
}

TEST_CASE("is buckets: owners have ranges of key values") {
  const is::KeyOwners owners({0, 0, 2, 2, 2, 3}, 4, 5);
  const std::vector<Key> expected{0, 32, 32, 80, 96, 96};
  CHECK(std::equal(owners.bounds().begin(), owners.bounds().end(), expected.begin(), expected.end()));
  CHECK(owners.range(1).size() == 0);
  CHECK(owners.range(2).begin == 32);
  CHECK(owners.range(2).end == 80);
  CHECK(owners.of(31) == 0);
  CHECK(owners.of(32) == 2);
  CHECK(owners.of(95) == 3);
}

TEST_CASE("is buckets: few keys are all counted, of many a sample from everywhere") {
  std::vector<Key> keys(16 * 1000);
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = static_cast<Key>(i);
  const auto all = is::sample_buckets(keys, 10, 16, keys.size());
  for (std::size_t bucket = 0; bucket < 15; ++bucket) CHECK(all[bucket] == 1024);
  CHECK(all[15] == 16 * 1000 - 15 * 1024);
  const auto sample = is::sample_buckets(keys, 10, 16, 2000);
  for (std::size_t bucket = 0; bucket < 15; ++bucket) CHECK(sample[bucket] == 128);
  CHECK(is::sample_buckets({}, 10, 16, 2000) == std::vector<std::uint32_t>(16));
}
