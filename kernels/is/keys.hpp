#pragma once
/// \file
/// The keys of IS and what happens to them between rankings. A task holds the keys at a range of global positions.
/// Key i is floor(max_key / 4 * (r_{4i} + r_{4i+1} + r_{4i+2} + r_{4i+3})) with the benchmarks' uniforms r.
/// Source: The NAS Parallel Benchmarks, RNR-94-007, section 2.2.5.

#include <span>

#include "kernels/common/large_memory.hpp"
#include "kernels/common/partition.hpp"
#include "kernels/is/problem.hpp"

namespace nasvm::is {

/// The keys at `positions`, fresh. Pages are touched by the threads whose share of the keys they hold.
LargeBuffer<Key> generate_keys(const Parameters& problem, Range positions, int threads);

/// Before ranking number `iteration`: key[iteration] = iteration, key[iteration + 10] = max_key - iteration, by
/// whoever holds those positions.
void change_keys(const Parameters& problem, int iteration, Range positions, std::span<Key> keys);

/// Makes keys that a checkpoint has brought what they have to be before ranking number `iteration`, and says whether
/// they were that already. Spoilt ones may be above all for which a ranking has memory.
[[nodiscard]] bool correct_keys(const Parameters& problem, int iteration, Range positions, std::span<Key> keys,
                                int threads);

/// The test keys that the task with these positions holds.
HeldTests held_tests(const Parameters& problem, Range positions);

/// This task's part of the test values: zero where another task holds the test key.
TestValues held_test_values(std::span<const Key> keys, const HeldTests& held);

}  // namespace nasvm::is
