#pragma once
/// \file
/// Dividing n items among p owners as evenly as whole items allow: the first n mod p owners get one more.

#include <cstdint>

namespace nasvm {

/// A half-open range of items.
struct Range {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  [[nodiscard]] constexpr std::int64_t size() const { return end - begin; }
};

/// The share of `owner` (0 <= owner < owners) in `items` items; empty when there are fewer items than owners.
constexpr Range share(std::int64_t items, int owners, int owner) {
  const std::int64_t base = items / owners;
  const std::int64_t extra = items % owners;
  const std::int64_t begin = owner * base + (owner < extra ? owner : extra);
  return {begin, begin + base + (owner < extra ? 1 : 0)};
}

}  // namespace nasvm
