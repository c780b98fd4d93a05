#pragma once
/// \file
/// Sorting a task's keys by owner: how many keys there are in each bucket, then each key into the block of its
/// owner. The compute loops of IS that only exist because keys move.
///
/// Operations: for each key one increment of a bucket, one table look-up and one store. Bytes for each key: 4 + 4
/// read in sequence, 4 written in sequence into one of as many blocks as there are tasks.

#include <array>
#include <span>
#include <vector>

#include "kernels/is/buffer.hpp"
#include "kernels/is/counting.hpp"
#include "kernels/is/problem.hpp"
#include "vm/comm.hpp"

namespace nasvm::is {

/// Neighbouring keys belong to this many strands in turn, each with counts and cursors of its own, so that an
/// increment need not wait for the one before, which may be of the same word.
inline constexpr std::size_t strands = 4;

/// A thread's part of the task's keys.
class KeyPacker {
 public:
  KeyPacker(int bucket_shift, std::size_t buckets) : shift_(bucket_shift), buckets_(buckets) {}

  /// Counts the keys in each bucket (a key's bucket is key >> bucket_shift).
  void count_buckets(std::span<const Key> keys);
  /// Adds this part's counts to those of the task.
  void add_counts_to(std::span<std::uint64_t> bucket_counts) const;
  /// Adds the number of this part's keys for each owner.
  void add_owned_to(std::span<const Rank> owners, std::span<std::size_t> keys_of_owner) const;

  /// Copies each key, of those that were counted, to the block of its owner; keys of `self` are not copied but
  /// counted. `blocks[r]` is where this part's keys of owner r begin; on return, where they end.
  void pack(std::span<const Key> keys, std::span<const Rank> owners, Rank self, std::span<Key*> blocks,
            KeyCounter& own_keys) const;

 private:
  using BucketCounts = std::vector<std::uint32_t>;

  int shift_;
  std::size_t buckets_;
  std::array<BucketCounts, strands> counts_;
};

}  // namespace nasvm::is
