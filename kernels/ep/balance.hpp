#pragma once
/// \file
/// Dividing EP's batches among tasks: evenly, or in proportion to speeds that a pilot computation found.
/// Source: White, Alund, Sunderam, "Performance of the NAS Parallel Benchmarks on PVM-Based Networks" (1995),
/// sections 4.1 and 5.2.1.

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/common/partition.hpp"
#include "kernels/ep/tally.hpp"

namespace nasvm::ep {

/// Splits `items` into parts in proportion to `weights` (positive) by largest remainders: parts add up to `items`,
/// and each is within one of its exact proportion. Ties go to the lower index.
std::vector<std::int64_t> proportional_parts(std::int64_t items, std::span<const double> weights);

/// The range of `owner` when the parts are laid out one after the other.
Range range_of(std::span<const std::int64_t> parts, int owner);

/// Batches per second of this task, from a pilot computation of about 25 ms whose results are thrown away.
double measure_speed(TallyLoop loop, int threads);

}  // namespace nasvm::ep
