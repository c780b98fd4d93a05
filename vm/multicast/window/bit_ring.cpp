#include "vm/multicast/window/bit_ring.hpp"

#include <algorithm>
#include <bit>

namespace nasvm::multicast {

BitRing::BitRing(std::uint32_t least_capacity)
    : mask_(std::bit_ceil(std::max(least_capacity, 64U)) - 1), words_((std::size_t{mask_} + 1) / 64) {}

void BitRing::clear(std::uint32_t from, std::uint32_t to) {
  for (; from != to && (from & 63) != 0; ++from) clear(from);
  for (; to - from >= 64; from += 64) words_[(from & mask_) >> 6] = 0;
  for (; from != to; ++from) clear(from);
}

std::uint32_t BitRing::find(std::uint32_t from, std::uint32_t to, std::uint64_t inverted) const {
  while (from != to) {
    const std::uint64_t rest = (word(from) ^ inverted) >> (from & 63);
    const std::uint32_t step = rest != 0 ? static_cast<std::uint32_t>(std::countr_zero(rest)) : 64 - (from & 63);
    if (step >= to - from) return to;
    from += step;
    if (rest != 0) return from;
  }
  return to;
}

}  // namespace nasvm::multicast
