#include "kernels/is/counting.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>

using namespace nasvm;
using is::Key;
using is::KeyCounter;

namespace {

std::vector<Key> random_keys(std::size_t size, Range range) {
  std::mt19937 random(42);
  std::uniform_int_distribution<Key> uniform(static_cast<Key>(range.begin), static_cast<Key>(range.end - 1));
  std::vector<Key> keys(size);
  for (Key& key : keys) key = uniform(random);
  return keys;
}

KeyCounter counter_of(std::span<const Key> keys, Range range) {
  KeyCounter counter;
  counter.reset(range);
  counter.count(keys);
  return counter;
}

std::vector<std::uint64_t> counts_of(const KeyCounter& counter, Range range) {
  std::vector<std::uint64_t> counts(counter.counts().begin(), counter.counts().end());
  for (const Key key : counter.wraps()) counts[key - static_cast<std::size_t>(range.begin)] += 256;
  return counts;
}

std::vector<std::uint64_t> expected_counts(std::span<const Key> keys, Range range) {
  std::vector<std::uint64_t> counts(static_cast<std::size_t>(range.size()));
  for (const Key key : keys) ++counts[key - static_cast<std::size_t>(range.begin)];
  return counts;
}

/// The ranks that `counters` of one range give, for keys of which `smaller` lie below the range.
is::Ranks ranks_of(std::span<const KeyCounter> counters, Range range, std::uint64_t smaller, int threads) {
  is::Ranks ranks;
  ranks.build(range, smaller, counters, threads);
  return ranks;
}

bool ranks_are_right(const is::Ranks& ranks, std::vector<Key> keys, Range range, std::uint64_t smaller) {
  std::sort(keys.begin(), keys.end());
  for (std::int64_t value = range.begin; value < range.end; ++value) {
    const auto key = static_cast<Key>(value);
    const auto below = static_cast<std::uint64_t>(std::lower_bound(keys.begin(), keys.end(), key) - keys.begin());
    if (ranks[key] != smaller + below) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("is counting: every key is counted once, however few there are") {
  const Range range{100, 10100};
  for (const std::size_t size : {0, 1, 31, 32, 33, 5000}) {
    const std::vector<Key> keys = random_keys(size, range);
    CHECK(counts_of(counter_of(keys, range), range) == expected_counts(keys, range));
  }
}

TEST_CASE("is counting: counts beyond a byte are kept") {
  const Range range{5, 8};
  const std::vector<Key> keys = random_keys(10000, range);
  const KeyCounter counter = counter_of(keys, range);
  CHECK(counter.wraps().size() > 30);
  CHECK(counts_of(counter, range) == expected_counts(keys, range));
}

TEST_CASE("is counting: a counter starts again from zero") {
  KeyCounter counter = counter_of(random_keys(10000, {5, 8}), {5, 8});
  counter.reset({0, 4});
  CHECK(counts_of(counter, {0, 4}) == std::vector<std::uint64_t>(4));
}

TEST_CASE("is counting: counters add up, part by part, beyond a byte as well") {
  const Range range{10, 50};
  const std::vector<Key> keys = random_keys(30000, range);
  const auto half = std::span(keys).first(15000);
  KeyCounter sum = counter_of(half, range);
  const KeyCounter other = counter_of(std::span(keys).subspan(15000), range);
  sum.add(other, {10, 23});
  sum.add(other, {23, 50});
  CHECK(counts_of(sum, range) == expected_counts(keys, range));
}

TEST_CASE("is counting: ranks are numbers of smaller keys") {
  for (const Range range : {Range{0, 3}, Range{7, 4103}, Range{0, 20000}}) {
    const std::vector<Key> keys = random_keys(30000, range);
    for (const int threads : {1, 3}) {
      const KeyCounter counter = counter_of(keys, range);
      CHECK(ranks_are_right(ranks_of(std::span(&counter, 1), range, 12, threads), keys, range, 12));
    }
  }
}

TEST_CASE("is counting: ranks add up what several counters have counted") {
  const Range range{50, 60};
  const std::vector<Key> keys = random_keys(9000, range);
  std::vector<KeyCounter> counters;
  for (std::size_t part = 0; part < 3; ++part) {
    counters.push_back(counter_of(std::span(keys).subspan(part * 3000, 3000), range));
  }
  CHECK(ranks_are_right(ranks_of(counters, range, 0, 2), keys, range, 0));
}

TEST_CASE("is counting: ranks go beyond 32 bits") {
  const Range range{0, 8192};
  const std::uint64_t smaller = (std::uint64_t{1} << 35) - 7;
  const std::vector<Key> keys = random_keys(5000, range);
  const KeyCounter counter = counter_of(keys, range);
  CHECK(ranks_are_right(ranks_of(std::span(&counter, 1), range, smaller, 1), keys, range, smaller));
}

TEST_CASE("is counting: an empty range has no ranks") {
  const KeyCounter counter = counter_of({}, {9, 9});
  const is::Ranks ranks = ranks_of(std::span(&counter, 1), {9, 9}, 3, 2);
  CHECK_FALSE(ranks.contains(8));
  CHECK_FALSE(ranks.contains(9));
}
