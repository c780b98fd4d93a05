#include "kernels/common/caches.hpp"

#include <algorithm>

namespace nasvm {
namespace {

/// Farther ones are shared by the cores of a chip.
constexpr int last_own_level = 2;

}  // namespace

bool is_own(const Cache& cache, std::span<const Cache> caches) {
  return cache.level <= last_own_level && cache.shared_by <= caches.front().shared_by;
}

const Cache& own_cache(std::span<const Cache> caches) {
  const auto shared = std::ranges::find_if_not(caches, [&](const Cache& cache) { return is_own(cache, caches); });
  return shared == caches.begin() ? caches.front() : *(shared - 1);
}

std::uint64_t own_bytes(std::span<const Cache> caches) {
  std::uint64_t most = own_cache(caches).bytes;
  for (const Cache& cache : caches) {
    if (cache.level > last_own_level) continue;
    const int cores = std::max(1, cache.shared_by / caches.front().shared_by);
    most = std::max(most, cache.bytes / static_cast<std::uint64_t>(cores));
  }
  return most;
}

const std::vector<Cache>& caches_here() {
  static const std::vector<Cache> caches = data_caches();
  return caches;
}

}  // namespace nasvm
