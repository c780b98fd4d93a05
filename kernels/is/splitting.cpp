#include "kernels/is/splitting.hpp"

#include "kernels/is/counting.hpp"

namespace nasvm::is {

void split_plain(std::span<const Key> keys, const KeyOwners& owners, std::span<Key*> next) {
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (i % stream_group == 0) prefetch_stream(keys.data() + i);
    *next[static_cast<std::size_t>(owners.of(keys[i]))]++ = keys[i];
  }
}

SplitLoop split_loop(int owners) {
  // From here on looking the owner up takes less time than trying all.
  constexpr int most_owners_avx512 = 16;
  constexpr int most_owners_avx2 = 8;
  if (owners <= most_owners_avx512 && avx512_available()) return split_avx512;
  if (owners <= most_owners_avx2 && avx2_available()) return split_avx2;
  return split_plain;
}

}  // namespace nasvm::is
