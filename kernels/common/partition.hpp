#pragma once
/// \file
/// Dividing n items among p owners as evenly as whole items allow: the first n mod p owners get one more.

#include <cstddef>
#include <cstdint>
#include <span>

namespace nasvm {

/// A half-open range of items.
struct Range {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  [[nodiscard]] constexpr std::int64_t size() const { return end - begin; }
  [[nodiscard]] constexpr bool contains(std::int64_t item) const { return item >= begin && item < end; }
  /// With so many more at both ends.
  [[nodiscard]] constexpr Range widened(std::int64_t by) const { return {begin - by, end + by}; }
};

/// The share of `owner` (0 <= owner < owners) in `items` items; empty when there are fewer items than owners.
constexpr Range share(std::int64_t items, int owners, int owner) {
  const std::int64_t base = items / owners;
  const std::int64_t extra = items % owners;
  const std::int64_t begin = owner * base + (owner < extra ? owner : extra);
  return {begin, begin + base + (owner < extra ? 1 : 0)};
}

/// The share of `owner` in a range of items.
constexpr Range share(Range items, int owners, int owner) {
  const Range part = share(items.size(), owners, owner);
  return {items.begin + part.begin, items.begin + part.end};
}

/// Those items themselves.
template <typename T>
constexpr std::span<T> part_of(std::span<T> items, Range part) {
  return items.subspan(static_cast<std::size_t>(part.begin), static_cast<std::size_t>(part.size()));
}

/// The size of the largest share.
constexpr std::int64_t largest_share(std::int64_t items, int owners) { return share(items, owners, 0).size(); }

}  // namespace nasvm
