#include "kernels/is/buckets.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

namespace nasvm::is {

int buckets_log2(const Parameters& problem, int tasks) {
  constexpr int buckets_per_task_log2 = 5;
  const int wanted = std::bit_width(static_cast<unsigned>(tasks - 1)) + buckets_per_task_log2;
  return std::min(problem.max_key_log2, std::max(problem.buckets_log2, wanted));
}

std::vector<std::uint32_t> sample_buckets(std::span<const Key> keys, int shift, std::size_t buckets,
                                          std::size_t wanted) {
  constexpr std::size_t group = 16;  // a cache line
  constexpr std::size_t groups_ahead = 16;
  const std::size_t step = keys.size() <= wanted ? group : keys.size() / wanted * group;
  std::vector<std::uint32_t> counts(buckets);
  for (std::size_t begin = 0; begin < keys.size(); begin += step) {
    __builtin_prefetch(keys.data() + begin + groups_ahead * step);
    const auto some = keys.subspan(begin, std::min(group, keys.size() - begin));
    for (const Key key : some) ++counts[key >> shift];
  }
  return counts;
}

std::vector<Rank> balanced_owners(std::span<const std::uint64_t> bucket_counts, int tasks) {
  const auto parts = static_cast<std::uint64_t>(tasks);
  const std::uint64_t keys = std::accumulate(bucket_counts.begin(), bucket_counts.end(), std::uint64_t{0});
  std::vector<Rank> owners;
  owners.reserve(bucket_counts.size());
  std::uint64_t before = 0;
  for (const std::uint64_t count : bucket_counts) {
    const std::uint64_t part = keys == 0 ? 0 : (2 * before + count) * parts / (2 * keys);
    owners.push_back(static_cast<Rank>(std::min(part, parts - 1)));
    before += count;
  }
  return owners;
}

KeyOwners::KeyOwners(std::vector<Rank> of_bucket, int shift, int tasks)
    : of_bucket_(std::move(of_bucket)), shift_(shift) {
  for (Rank owner = 0; owner <= tasks; ++owner) {
    const auto first = std::lower_bound(of_bucket_.begin(), of_bucket_.end(), owner);
    bounds_.push_back(static_cast<Key>(first - of_bucket_.begin()) << shift);
  }
}

Range KeyOwners::range(Rank owner) const {
  const auto index = static_cast<std::size_t>(owner);
  return {bounds_[index], bounds_[index + 1]};
}

}  // namespace nasvm::is
