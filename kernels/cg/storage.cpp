#include "kernels/cg/storage.hpp"

#include <algorithm>

#include "kernels/cg/tiled_slices.hpp"
#include "kernels/common/caches.hpp"

namespace nasvm::cg {

const Cache* cache_for(double elements, std::span<const Cache> caches) {
  const double bytes = elements * stored_element_bytes;
  const auto cache =
      std::ranges::find_if(caches, [&](const Cache& each) { return bytes <= static_cast<double>(each.bytes); });
  return cache == caches.end() ? nullptr : &*cache;
}

Storage storage_for(double elements, std::span<const Cache> caches) {
  const Cache* const cache = cache_for(elements, caches);
  if (cache == nullptr) return Storage::half_square;
  return is_own(*cache, caches) ? Storage::full : Storage::faster;
}

}  // namespace nasvm::cg
