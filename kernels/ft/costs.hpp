#pragma once
/// \file
/// What FT costs: operations, memory and communication as formulas of the problem and the number of tasks.
/// docs/kernels/ft.md derives them; tests compare them with the counters.

#include <cstdint>

#include "kernels/ft/fused/chunked_transpose.hpp"
#include "kernels/ft/problem.hpp"
#include "kernels/ft/solver.hpp"
#include "kernels/kernel.hpp"
#include "vm/collective/costs.hpp"

namespace nasvm::ft {

/// Floating point operations by NASA's formula, in millions.
double mega_operations(const Parameters& problem);

/// Memory of all tasks together, in bytes.
std::uint64_t memory_bytes(const Parameters& problem, EngineKind engine, int tasks, int threads);

/// One transpose, summed over tasks: with z_r planes and y_r rows of task r, 16 nx (ny nz - sum_r z_r y_r) bytes
/// (evenly divided: 16 nx ny nz (P - 1) / P), one message for each pair that has a block in common.
collective::Cost transpose_cost(const Grid& grid, int tasks);

/// The fused engine's transpose of that shape: the same bytes, in one message for each chunk and task that gets of
/// it.
collective::Cost chunked_transpose_cost(const TransposeShape& shape, int tasks);

/// The timed region: the transposes of 1 + iterations transforms and `iterations` reductions of one complex number to
/// rank 0.
Traffic traffic(const Parameters& problem, EngineKind engine, int tasks, int threads);

}  // namespace nasvm::ft
