#pragma once
/// \file
/// Splitting keys by owner, a vector of them at a time, for vectors of any kind. It is compiled for the instructions
/// that whoever includes it has told the compiler it may use (`#pragma GCC target`), after the headers below.
///
/// A Vector knows
///     lanes, Keys                       keys in a vector; the vector
///     most_owners_at_once               up to so many (eight at most) trying each costs less than two steps
///     load(at)                          from any address
///     below(keys, bound)                a bit for each lane whose key is below the bound
///     store_in_front(to, keys, chosen)  the chosen lanes one behind the other; the whole vector may be written

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <span>
#include <utility>

#include "kernels/is/counting.hpp"
#include "kernels/is/splitting.hpp"

namespace nasvm::is {
namespace {

template <typename Vector>
constexpr unsigned all_lanes = (1U << Vector::lanes) - 1;

/// Copies the lanes in `below` that are not in `before`, which then is `below`: the next owner's keys are no lower.
template <typename Vector>
[[gnu::always_inline]] inline void split_off(typename Vector::Keys keys, unsigned below, unsigned& before,
                                             Key*& next) {
  static_assert(Vector::lanes <= overshoot_keys);
  const unsigned owned = below & ~before;
  Vector::store_in_front(next, keys, owned);
  next += std::popcount(owned);
  before = below;
}

/// Splits whole vectors of keys among so many owners as there are numbers `owner`, and one more, so that the compiler
/// keeps all that concerns them in registers; which it does when their pointers are copied one by one. `bounds` has
/// the owners' ranges, or begins with them. Returns the number of keys done.
template <typename Vector, std::size_t... owner>
std::size_t split_vectors(std::index_sequence<owner...>, std::span<const Key> keys,
                          [[maybe_unused]] std::span<const Key> bounds, std::span<Key*> next) {
  constexpr std::size_t last = sizeof...(owner);
  [[maybe_unused]] const std::array<Key, last> ends{bounds[owner + 1]...};
  std::array<Key*, last + 1> own_next{next[owner]..., next[last]};
  std::size_t i = 0;
  for (; i + Vector::lanes <= keys.size(); i += Vector::lanes) {
    if (i % stream_group == 0) prefetch_stream(keys.data() + i);
    const auto some = Vector::load(keys.data() + i);
    unsigned before = 0;
    (split_off<Vector>(some, Vector::below(some, ends[owner]), before, own_next[owner]), ...);
    split_off<Vector>(some, all_lanes<Vector>, before, own_next[last]);
  }
  ((next[owner] = own_next[owner]), ...);
  next[last] = own_next[last];
  return i;
}
template <typename Vector, std::size_t owners>
std::size_t split_among(std::span<const Key> keys, std::span<const Key> bounds, std::span<Key*> next) {
  return split_vectors<Vector>(std::make_index_sequence<owners - 1>(), keys, bounds, next);
}

/// The same among next.size() owners, eight at most.
template <typename Vector>
std::size_t split_among_few(std::span<const Key> keys, std::span<const Key> bounds, std::span<Key*> next) {
  static constexpr std::array by_owners{split_among<Vector, 1>, split_among<Vector, 2>, split_among<Vector, 3>,
                                        split_among<Vector, 4>, split_among<Vector, 5>, split_among<Vector, 6>,
                                        split_among<Vector, 7>, split_among<Vector, 8>};
  return by_owners[next.size() - 1](keys, bounds, next);
}

/// Splits keys among groups of neighbouring owners, and what is in a group among these: a key meets about twice the
/// root of the number of owners. Between the steps keys are in the first-level cache.
template <typename Vector>
void split_in_two_steps(std::span<const Key> keys, const KeyOwners& owners, std::span<Key*> next) {
  constexpr std::size_t most_groups = 8;
  constexpr std::size_t piece_keys = 2048;
  std::size_t groups = 1;
  while (groups * groups < next.size()) ++groups;
  std::array<std::size_t, most_groups + 1> first_owner;
  std::array<Key, most_groups + 1> bounds;
  for (std::size_t group = 0; group <= groups; ++group) {
    first_owner[group] = group * next.size() / groups;
    bounds[group] = owners.bounds()[first_owner[group]];
  }
  std::array<std::array<Key, piece_keys + overshoot_keys>, most_groups> pieces;
  while (!keys.empty()) {
    const std::span<const Key> some = keys.first(std::min(piece_keys, keys.size()));
    keys = keys.subspan(some.size());
    std::array<Key*, most_groups> ends;
    for (std::size_t group = 0; group < groups; ++group) ends[group] = pieces[group].data();
    const std::size_t done = split_among_few<Vector>(some, bounds, std::span(ends).first(groups));
    for (const Key key : some.subspan(done)) {
      std::size_t group = 0;
      while (key >= bounds[group + 1]) ++group;
      *ends[group]++ = key;
    }
    for (std::size_t group = 0; group < groups; ++group) {
      const std::size_t first = first_owner[group];
      const std::span<const Key> piece(pieces[group].data(), ends[group]);
      const std::size_t split = split_among_few<Vector>(piece, owners.bounds().subspan(first),
                                                        next.subspan(first, first_owner[group + 1] - first));
      split_plain(piece.subspan(split), owners, next);
    }
  }
}

/// Splits keys among next.size() owners, 64 at most.
template <typename Vector>
void split_by_vectors(std::span<const Key> keys, const KeyOwners& owners, std::span<Key*> next) {
  if (next.size() > Vector::most_owners_at_once) return split_in_two_steps<Vector>(keys, owners, next);
  const std::size_t done = split_among_few<Vector>(keys, owners.bounds(), next);
  split_plain(keys.subspan(done), owners, next);
}

}  // namespace
}  // namespace nasvm::is
