#include "kernels/is/counting.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <utility>

namespace nasvm::is {
namespace {

using Counts = std::span<const std::uint8_t>;

/// The wraps that lie in [begin, end).
std::span<const Key> wraps_between(std::span<const Key> sorted_wraps, std::int64_t begin, std::int64_t end) {
  const auto first = std::lower_bound(sorted_wraps.begin(), sorted_wraps.end(), begin);
  return {first, std::lower_bound(first, sorted_wraps.end(), end)};
}

/// sums[i] = counts[0][i] + counts[1][i] + ..., for a block that begins at `begin`.
void add_up(std::span<const Counts> counts, std::size_t begin, std::span<std::uint32_t> sums) {
  std::copy_n(counts.front().data() + begin, sums.size(), sums.data());
  for (const Counts more : counts.subspan(1)) {
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += more[begin + i];
  }
}

/// values[i] becomes values[0] + ... + values[i - 1]. Returns the sum of all.
std::uint32_t exclusive_prefix_sums(std::span<std::uint32_t> values) {
  std::uint32_t smaller = 0;
  for (std::uint32_t& value : values) {
    const std::uint32_t count = value;
    value = smaller;
    smaller += count;
  }
  return smaller;
}

}  // namespace

void KeyCounter::reset(Range range) {
  first_ = static_cast<Key>(range.begin);
  counts_.reset(static_cast<std::size_t>(range.size()));
  if (counts_.size() > 0) std::memset(counts_.data(), 0, counts_.size());
  wraps_.clear();
}

// Apart, so that three instructions are left for a key.
[[gnu::noinline, gnu::cold]] void KeyCounter::note_wrap(Key key) { wraps_.push_back(key); }

void KeyCounter::count(std::span<const Key> keys) {
  // Where key value 0 would be counted: a number, because a pointer must not lie before the counters. Subtracting
  // first_ from each key instead makes this loop 7 % slower.
  const std::uintptr_t origin = reinterpret_cast<std::uintptr_t>(counts_.data()) - first_;
  const auto count_one = [this, origin](Key key) {
    auto& count = *reinterpret_cast<std::uint8_t*>(origin + key);  // NOLINT(performance-no-int-to-ptr)
    if (++count == 0) [[unlikely]] {
      note_wrap(key);
    }
  };
  const std::size_t in_groups = keys.size() / stream_group * stream_group;
  for (std::size_t begin = 0; begin < in_groups; begin += stream_group) {
    prefetch_stream(keys.data() + begin);
#pragma GCC unroll 16
    for (std::size_t i = 0; i < stream_group; ++i) count_one(keys[begin + i]);
  }
  for (const Key key : keys.subspan(in_groups)) count_one(key);
}

void KeyCounter::add(const KeyCounter& other, Range part) {
  const auto begin = static_cast<std::size_t>(part.begin - first_);
  const auto end = static_cast<std::size_t>(part.end - first_);
  std::uint8_t* const mine = counts_.data();
  const std::uint8_t* const more = other.counts_.data();
  std::uint8_t wrapped = 0;
  for (std::size_t i = begin; i < end; ++i) {
    mine[i] = static_cast<std::uint8_t>(mine[i] + more[i]);
    wrapped |= static_cast<std::uint8_t>(mine[i] < more[i]);
  }
  std::vector<Key> new_wraps;
  for (std::size_t i = begin; wrapped != 0 && i < end; ++i) {
    if (mine[i] < more[i]) new_wraps.push_back(static_cast<Key>(i) + first_);
  }
  for (const Key key : other.wraps_) {
    if (part.contains(key)) new_wraps.push_back(key);
  }
#pragma omp critical
  wraps_.insert(wraps_.end(), new_wraps.begin(), new_wraps.end());
}

void Ranks::build(Range range, std::uint64_t smaller, std::span<const KeyCounter> counters, int threads) {
  std::vector<Counts> counts;
  std::vector<Key> wraps;
  for (const KeyCounter& counter : counters) {
    counts.push_back(counter.counts());
    wraps.insert(wraps.end(), counter.wraps().begin(), counter.wraps().end());
  }
  build(range, smaller, counts, std::move(wraps), threads);
}

void Ranks::build(Range range, std::uint64_t smaller, std::span<const Counts> counts, std::vector<Key> wraps,
                  int threads) {
  range_ = range;
  std::sort(wraps.begin(), wraps.end());
  const auto values = static_cast<std::size_t>(range.size());
  const std::size_t blocks = (values + block_values - 1) / block_values;
  block_ranks_.resize(blocks);
  ranks_in_block_.reset(values);
#pragma omp parallel for num_threads(threads) schedule(static)
  for (std::size_t block = 0; block < blocks; ++block) {
    const std::size_t begin = block * block_values;
    const auto sums = ranks_in_block_.span().subspan(begin, std::min(block_values, values - begin));
    const std::int64_t first_key = range.begin + static_cast<std::int64_t>(begin);
    add_up(counts, begin, sums);
    for (const Key key : wraps_between(wraps, first_key, first_key + static_cast<std::int64_t>(sums.size()))) {
      sums[key - static_cast<std::size_t>(first_key)] += 256;
    }
    block_ranks_[block] = exclusive_prefix_sums(sums);
  }
  std::exclusive_scan(block_ranks_.begin(), block_ranks_.end(), block_ranks_.begin(), smaller);
}

}  // namespace nasvm::is
