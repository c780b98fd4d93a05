#pragma once
/// \file
/// The problem classes of MG: grid, iterations, smoother, official result.
/// Source: The NAS Parallel Benchmarks, RNR-94-007, section 2.2.2; later classes as in the problem tables.

#include <cstdint>
#include <string_view>

#include "kernels/kernel.hpp"
#include "kernels/mg/paper/message_order.hpp"
#include "kernels/mg/stencil.hpp"

namespace nasvm::mg {

struct Parameters {
  char letter = 'S';
  int levels = 0;  ///< grids of 2, 4, ... 2^levels points along each edge
  int iterations = 0;
  Coefficients smoother;
  double l2_norm = 0;  ///< official norm of the final residual

  /// Points along each edge of the finest grid.
  [[nodiscard]] constexpr int edge() const { return 1 << levels; }
};

/// Largest relative difference from the official norm that verifies.
inline constexpr double tolerance = 1e-8;
/// Seed of the random grid whose extremes are the charges.
inline constexpr std::uint64_t charge_seed = 314159265;

/// The discrete Laplacian A.
inline constexpr Coefficients laplacian{-8.0 / 3.0, 0.0, 1.0 / 6.0, 1.0 / 12.0};

inline constexpr std::string_view class_letters = "SWABCDEF";
inline constexpr int largest_edge = 4096;  ///< of all classes

/// The class of that letter; UsageError when there is none.
const Parameters& parameters(char letter);

/// Runs and verifies the problem: `kernel.run` after the class has been looked up. Collective over `comm`.
Outcome solve(Comm& comm, const Parameters& problem, int threads, Checkpoints* checkpoints = nullptr);
/// The same for variant `paper`.
Outcome solve_on_ring(Comm& comm, const Parameters& problem, int threads, MessageOrder order,
                      Checkpoints* checkpoints = nullptr);

/// The communication of the timed region on `tasks` tasks, exactly (docs/kernels/mg.md has the formulas).
Traffic traffic(const Parameters& problem, int tasks);
Traffic paper_traffic(const Parameters& problem, int tasks, MessageOrder order);

/// Memory of all tasks together, each with so many threads.
std::uint64_t memory_bytes(const Parameters& problem, int tasks, int threads);
std::uint64_t paper_memory_bytes(const Parameters& problem, int tasks);

}  // namespace nasvm::mg
