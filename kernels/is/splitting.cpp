#include "kernels/is/splitting.hpp"

#include "kernels/is/counting.hpp"

namespace nasvm::is {

void split_plain(std::span<const Key> keys, const KeyOwners& owners, std::span<Key*> next) {
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (i % stream_group == 0) prefetch_stream(keys.data() + i);
    *next[static_cast<std::size_t>(owners.of(keys[i]))]++ = keys[i];
  }
}

Instructions instructions_here() { return {avx2_available(), avx512_available()}; }

SplitLoop split_loop(int owners, const Instructions& instructions) {
  if (owners > most_owners_by_vectors) return split_plain;
  if (instructions.avx512) return split_avx512;
  if (instructions.avx2) return split_avx2;
  return split_plain;
}

}  // namespace nasvm::is
