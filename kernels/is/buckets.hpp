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

/// Owner of each bucket when neighbouring buckets go to `tasks` tasks: task r gets those whose middle lies in the
/// r-th of `tasks` equal parts of all keys. No task gets more keys than its even share and one bucket.
std::vector<Rank> balanced_owners(std::span<const std::uint64_t> bucket_counts, int tasks);

/// The buckets of one owner; empty ranges are possible. `owners` ascends.
Range owned_buckets(std::span<const Rank> owners, Rank owner);

}  // namespace nasvm::is
