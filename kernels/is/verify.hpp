#pragma once
/// \file
/// Verification of IS. Partial: in each ranking the five test keys must have their official ranks, to the digit.
/// Full: with the ranks of the last ranking every key is put in its place; then all keys must be in order, within
/// each task and from task to task. Passed when 5 * 10 + (number of tasks) checks have passed. After a restart each
/// task's keys must have been the right ones, too (correct_keys): five ranks and an order do not tell.

#include <span>

#include "kernels/is/ranking.hpp"

namespace nasvm::is {

/// Memory of the full verification on all tasks together: keys, those received, and keys in order. It is the peak.
std::uint64_t verification_memory_bytes(const Parameters& problem, int tasks);

/// The ranks of the test keys whose values lie in the range of `ranks`.
TestRanks ranks_in_range(const Ranks& ranks, const TestValues& test_values);

/// How many of the test keys whose ranks this task knows have the rank that they must have.
int count_right_ranks(const Parameters& problem, int iteration, const TestRanks& known);

/// Whether this task's part of all keys is in order by the ranks of the last ranking, and follows the lower
/// ranks' part; and whether ranks that came home are those of the keys' owners. Collective; moves the keys once more,
/// outside every timed region.
bool check_order(Comm& comm, const Parameters& problem, std::span<const Key> keys, Ranking& ranking);

}  // namespace nasvm::is
