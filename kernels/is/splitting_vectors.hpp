#pragma once
/// \file
/// Splitting keys by owner, a vector of them at a time, for vectors of any kind. It is compiled for the instructions
/// that whoever includes it has told the compiler it may use (`#pragma GCC target`), after the headers below.
///
/// A Vector knows
///     lanes, Keys                       keys in a vector; the vector
///     load(at)                          from any address
///     at_least(keys, bound)             a bit for each lane whose key is not below the bound
///     store_in_front(to, keys, chosen)  the chosen lanes one behind the other; the whole vector may be written

#include <algorithm>
#include <array>
#include <bit>
#include <span>
#include <utility>

#include "kernels/is/counting.hpp"
#include "kernels/is/splitting.hpp"

namespace nasvm::is {
namespace {

/// Copies the lanes among `left` whose keys are below `end`; the others stay left.
template <typename Vector>
[[gnu::always_inline]] inline void split_off(typename Vector::Keys keys, Key end, unsigned& left, Key*& next) {
  static_assert(Vector::lanes <= overshoot_keys);
  const unsigned beyond = Vector::at_least(keys, end);
  const unsigned owned = left & ~beyond;
  Vector::store_in_front(next, keys, owned);
  next += std::popcount(owned);
  left = beyond;
}

template <typename Vector>
constexpr unsigned all_lanes = (1U << Vector::lanes) - 1;

/// Splits whole vectors of keys among `owners` owners, a number that the compiler knows, so that it keeps all that
/// concerns them in registers. `bounds` has the owners' ranges. Returns the number of keys done.
template <typename Vector, std::size_t owners>
std::size_t split_vectors(std::span<const Key> keys, std::span<const Key> bounds, std::span<Key*> next) {
  std::array<Key, owners + 1> own_bounds;
  std::array<Key*, owners> own_next;
  std::copy_n(bounds.begin(), owners + 1, own_bounds.begin());
  std::copy_n(next.begin(), owners, own_next.begin());
  std::size_t i = 0;
  for (; i + Vector::lanes <= keys.size(); i += Vector::lanes) {
    if (i % stream_group == 0) prefetch_stream(keys.data() + i);
    const auto some = Vector::load(keys.data() + i);
    unsigned left = all_lanes<Vector>;
    [&]<std::size_t... owner>(std::index_sequence<owner...>) {
      (split_off<Vector>(some, own_bounds[owner + 1], left, own_next[owner]), ...);
    }
    (std::make_index_sequence<owners>());
  }
  std::copy_n(own_next.begin(), owners, next.begin());
  return i;
}

/// The same for any number of owners.
template <typename Vector>
std::size_t split_vectors_any(std::span<const Key> keys, std::span<const Key> bounds, std::span<Key*> next) {
  const std::size_t owners = next.size();
  std::size_t i = 0;
  for (; i + Vector::lanes <= keys.size(); i += Vector::lanes) {
    if (i % stream_group == 0) prefetch_stream(keys.data() + i);
    const auto some = Vector::load(keys.data() + i);
    unsigned left = all_lanes<Vector>;
#pragma GCC unroll 8
    for (std::size_t owner = 0; owner < owners; ++owner) {
      split_off<Vector>(some, bounds[owner + 1], left, next[owner]);
    }
  }
  return i;
}

template <typename Vector>
void split_by_vectors(std::span<const Key> keys, const KeyOwners& owners, std::span<Key*> next) {
  constexpr std::array by_owners{split_vectors<Vector, 1>, split_vectors<Vector, 2>, split_vectors<Vector, 3>,
                                 split_vectors<Vector, 4>, split_vectors<Vector, 5>, split_vectors<Vector, 6>,
                                 split_vectors<Vector, 7>, split_vectors<Vector, 8>};
  const bool few = next.size() <= by_owners.size();
  const auto split_vectors_fast = few ? by_owners[next.size() - 1] : split_vectors_any<Vector>;
  const std::size_t done = split_vectors_fast(keys, owners.bounds(), next);
  split_plain(keys.subspan(done), owners, next);
}

}  // namespace
}  // namespace nasvm::is
