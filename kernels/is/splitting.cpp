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
  constexpr int most_owners = 16;  // from here on looking the owner up takes less time than trying all
  return owners <= most_owners && avx512_available() ? split_avx512 : split_plain;
}

}  // namespace nasvm::is
