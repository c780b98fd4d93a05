#pragma once
/// \file
/// Counting keys and turning counts into ranks: the compute loops of IS.
///
/// The reference loops, for keys in [0, m):
///     for each key: ++count[key]
///     for k in 1..m-1: count[k] += count[k - 1]          rank of a key k is then count[k - 1]
/// Operations: one increment for each key, one addition for each key value. Bytes: 4 read for each key, in
/// sequence; 1 read and written at random for each key, 1 read and 4 written for each key value.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/common/large_memory.hpp"
#include "kernels/common/partition.hpp"
#include "kernels/is/problem.hpp"

namespace nasvm::is {

/// Keys are read in groups of that many, a cache line.
inline constexpr std::size_t stream_group = 16;

/// Asks for the keys that a loop which reads keys in sequence will come to, 4 KB behind `at`: among so many stores to
/// anywhere the processor does not see for itself that they are read in sequence. To be called for each group.
inline void prefetch_stream(const Key* at) {
  constexpr std::size_t distance = 1024;
  __builtin_prefetch(at + distance);
}

/// How often each key value of a range occurs, in one byte for each value, so that the counters of class A fit into
/// a level-2 cache. Values that fill a byte are written down each time they do.
class KeyCounter {
 public:
  /// Starts from zero for the key values of `range`.
  void reset(Range range);
  /// Counts keys, which must lie in the range.
  void count(std::span<const Key> keys);

  /// Adds another counter's counts of the key values in `part` of the range that both have. Threads may do so for
  /// different parts at the same time. One addition and comparison and 3 bytes for each value.
  void add(const KeyCounter& other, Range part);

  /// For each key value of the range its count modulo 256.
  [[nodiscard]] std::span<const std::uint8_t> counts() const { return counts_.span(); }
  /// Key values, as often as their counts are to be raised by 256.
  [[nodiscard]] std::span<const Key> wraps() const { return wraps_; }

 private:
  void note_wrap(Key key);

  Key first_ = 0;
  LargeBuffer<std::uint8_t> counts_;
  std::vector<Key> wraps_;
};

/// The ranks of the key values of a range: how many keys of the whole problem are smaller.
class Ranks {
 public:
  /// Adds up the counts of several counters of the same range. `smaller`: number of keys below the range.
  void build(Range range, std::uint64_t smaller, std::span<const KeyCounter> counters, int threads);
  /// The same from counts of one byte for each key value, and from `wraps`, which are sorted here.
  void build(Range range, std::uint64_t smaller, std::span<const std::span<const std::uint8_t>> counts,
             std::vector<Key> wraps, int threads);

  [[nodiscard]] Range range() const { return range_; }
  [[nodiscard]] bool contains(std::uint64_t key) const { return range_.contains(static_cast<std::int64_t>(key)); }
  /// Rank of a key value of the range.
  [[nodiscard]] std::uint64_t operator[](Key key) const {
    const std::size_t index = key - static_cast<std::size_t>(range_.begin);
    return block_ranks_[index / block_values] + ranks_in_block_[index];
  }

 private:
  /// Ranks are 64 bits for a block of key values, and 32 bits more for each value.
  static constexpr std::size_t block_values = 4096;

  Range range_;
  std::vector<std::uint64_t> block_ranks_;
  LargeBuffer<std::uint32_t> ranks_in_block_;
};

}  // namespace nasvm::is
