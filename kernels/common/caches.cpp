#include "kernels/common/caches.hpp"

#include <algorithm>

namespace nasvm {

const Cache& own_cache(std::span<const Cache> caches) {
  const auto is_shared = [](const Cache& cache) { return cache.level > own_levels; };
  const auto shared = std::ranges::find_if(caches, is_shared);
  return shared == caches.begin() ? caches.front() : *(shared - 1);
}

const std::vector<Cache>& caches_here() {
  static const std::vector<Cache> caches = data_caches();
  return caches;
}

}  // namespace nasvm
