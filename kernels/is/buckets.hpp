#pragma once
/// \file
/// Buckets of neighbouring key values, and who owns them.

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/common/partition.hpp"
#include "kernels/is/problem.hpp"
#include "vm/comm.hpp"

namespace nasvm::is {

/// Buckets that divide key values finely enough for `tasks` tasks: the class's number, or more when there are
/// less than 32 to a task, but no more than there are values.
int buckets_log2(const Parameters& problem, int tasks);

/// How many keys there are in each bucket (a key's bucket is key >> shift), in a sample of them: evenly spaced groups
/// of 16 neighbours, as many keys as asked for (less than 2^32) or a few more. All keys, if there are no more than
/// that. One increment for each key of the sample.
std::vector<std::uint32_t> sample_buckets(std::span<const Key> keys, int shift, std::size_t buckets,
                                          std::size_t wanted);

/// Owner of each bucket when neighbouring buckets go to `tasks` tasks: task r gets those whose middle lies in the
/// r-th of `tasks` equal parts of all keys. No task gets more keys than its even share and one bucket.
std::vector<Rank> balanced_owners(std::span<const std::uint64_t> bucket_counts, int tasks);

/// Who owns which key value.
class KeyOwners {
 public:
  KeyOwners() = default;
  /// `of_bucket` ascends.
  KeyOwners(std::vector<Rank> of_bucket, int shift, int tasks);

  [[nodiscard]] Rank of(Key key) const { return of_bucket_[key >> shift_]; }
  /// The key values of one owner; empty ranges are possible.
  [[nodiscard]] Range range(Rank owner) const;
  /// Begins of all ranges in order of owners, then the end of the last.
  [[nodiscard]] std::span<const Key> bounds() const { return bounds_; }

 private:
  std::vector<Rank> of_bucket_;
  int shift_ = 0;
  std::vector<Key> bounds_;
};

}  // namespace nasvm::is
