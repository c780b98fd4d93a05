#include "kernels/is/buckets.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

namespace nasvm::is {

int buckets_log2(const Parameters& problem, int tasks) {
  constexpr int buckets_per_task_log2 = 5;
  const int wanted = std::bit_width(static_cast<unsigned>(tasks - 1)) + buckets_per_task_log2;
  return std::min(problem.max_key_log2, std::max(problem.buckets_log2, wanted));
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

Range owned_buckets(std::span<const Rank> owners, Rank owner) {
  const auto [first, last] = std::equal_range(owners.begin(), owners.end(), owner);
  return {first - owners.begin(), last - owners.begin()};
}

}  // namespace nasvm::is
