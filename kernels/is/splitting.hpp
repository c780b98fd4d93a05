#pragma once
/// \file
/// The compute loops that only exist because keys move: each key to the others of its owner.
///
/// The reference loop:
///     for each key: *next[owner of key]++ = key
/// Operations: one look-up and one store for each key. Bytes for each key: 4 read in sequence, 4 written in sequence
/// to one of as many places as there are tasks.

#include <span>

#include "kernels/is/buckets.hpp"
#include "kernels/is/problem.hpp"

namespace nasvm::is {

/// A loop may write that many keys beyond the last one of each owner.
inline constexpr std::size_t overshoot_keys = 16;

/// Copies each key to where `next` of its owner points, and moves that on.
using SplitLoop = void (*)(std::span<const Key> keys, const KeyOwners& owners, std::span<Key*> next);

/// The reference loop.
void split_plain(std::span<const Key> keys, const KeyOwners& owners, std::span<Key*> next);
/// For each owner the keys of its range are compressed out of 16 neighbours: some 10 instructions for 16 keys and
/// each owner; among many owners in two steps. Up to most_owners_by_vectors owners. Must not be called where
/// avx512_available() is false.
void split_avx512(std::span<const Key> keys, const KeyOwners& owners, std::span<Key*> next);
bool avx512_available();
/// The same of 8 neighbours. Must not be called where avx2_available() is false.
void split_avx2(std::span<const Key> keys, const KeyOwners& owners, std::span<Key*> next);
bool avx2_available();

/// Which of the loops can be run.
struct Instructions {
  bool avx2 = false;
  bool avx512 = false;
};
/// On this processor.
Instructions instructions_here();

/// With up to so many owners vectors are tried. Measured (docs/kernels/is.md).
inline constexpr int most_owners_by_vectors = 64;
/// The faster loop for that many owners.
SplitLoop split_loop(int owners, const Instructions& instructions = instructions_here());

}  // namespace nasvm::is
