#include "kernels/cg/storage.hpp"

#include <algorithm>

#include "kernels/cg/tiled_slices.hpp"
#include "kernels/common/caches.hpp"

namespace nasvm::cg {

Storage storage_for(double elements, std::span<const Cache> caches) {
  const double bytes = elements * stored_element_bytes;
  const auto cache =
      std::ranges::find_if(caches, [&](const Cache& each) { return bytes <= static_cast<double>(each.bytes); });
  if (cache == caches.end()) return Storage::half_square;
  return cache->level <= own_levels ? Storage::full : Storage::faster;
}

}  // namespace nasvm::cg
