#pragma once
/// \file
/// Some of a task's keys, sorted by owner; its own keys are counted on the way.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/common/large_memory.hpp"
#include "kernels/is/buckets.hpp"
#include "kernels/is/counting.hpp"
#include "kernels/is/problem.hpp"

namespace nasvm::is {

/// Of a cache line.
inline constexpr std::size_t line_bytes = 64;
inline constexpr std::size_t line_keys = line_bytes / sizeof(Key);

/// Keys that are split before the own ones among them are counted: they take half of a first-level cache of so many
/// bytes, so that these are still there. A multiple of 1024.
[[nodiscard]] std::size_t chunk_keys_for(std::uint64_t first_level_bytes);

/// One block of keys for each owner. There is room for all keys in each of them, but memory that no key comes to is
/// never touched, and so costs nothing but addresses.
class KeyPacker {
 public:
  /// So many keys are split at a time.
  explicit KeyPacker(std::size_t chunk_keys) : chunk_keys_(chunk_keys) {}

  /// Copies each key to the block of its owner, but counts those of `self`, chunk by chunk, so that these
  /// are written to the first-level cache only.
  void pack(std::span<const Key> keys, const KeyOwners& owners, Rank self, KeyCounter& own_keys);

  /// Uses this memory from now on, which others read, in place of its own: an equal part for each owner, of whole
  /// cache lines from the border of one on, with room for all keys that one call packs and `overshoot_keys` more.
  void use(std::span<Key> memory) { lent_ = memory; }

  enum class Way : std::uint8_t { straight, past_cache };
  /// How keys come to lent memory. What others have read has to be taken back from their caches before it can be
  /// written again, line by line, and the slower the more keys lie across two lines. So keys can be gathered in this
  /// core's cache, to go by whole lines past it; others then get them from memory, not from a cache.
  void go(Way way) { way_ = way; }

  /// The keys of an owner, after `pack`; none of `self`.
  [[nodiscard]] std::span<const Key> block(Rank owner) const;
  /// Gives the memory back; there are no blocks then.
  void release();

 private:
  void make_room(std::size_t keys, std::size_t owners);
  void pack_past_cache(std::span<const Key> keys, const KeyOwners& owners, Rank self, KeyCounter& own_keys);

  std::size_t chunk_keys_;
  LargeBuffer<Key, Pages::usual> memory_;
  std::span<Key> lent_;
  Way way_ = Way::past_cache;
  LargeBuffer<Key> gathered_;  ///< the own ones of a chunk, or each owner's, on the way to what is lent
  std::vector<Key*> begins_;   ///< of blocks
  std::vector<Key*> next_;     ///< behind the last key of each block
};

}  // namespace nasvm::is
