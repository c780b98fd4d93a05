#pragma once
/// \file
/// The problem classes of CG and the numbers that define its matrix. Facts: The NAS Parallel Benchmarks,
/// RNR-94-007, section 2.2.3, with the parameters and verification values of the NPB 3.4 classes.

#include <cstdint>
#include <span>
#include <string_view>

#include "kernels/cg/rounds.hpp"
#include "kernels/kernel.hpp"
#include "vm/machine_topology.hpp"

namespace nasvm::cg {

inline constexpr std::string_view class_letters = "SWABCDEFR";
inline constexpr int inner_steps = 25;    ///< conjugate gradient steps in each outer step
inline constexpr double condition = 0.1;  ///< rcond: reciprocal condition number of the sum of outer products
inline constexpr std::uint64_t seed = 314159265;
inline constexpr double tolerance = 1e-10;  ///< of zeta, relative

/// One problem class. Vectors have `order` elements; a generating vector has `nonzer` random positions, plus one.
struct Parameters {
  char letter = 'S';
  std::int64_t order = 0;
  int nonzer = 0;
  int outer_steps = 0;
  double shift = 0;
  double zeta = 0;  ///< verification value
};

/// The parameters of a class; UsageError when there is none of that letter.
const Parameters& parameters(char letter);

/// Elements that are to be expected in so many rows and columns of the matrix.
double expected_elements(const Parameters& problem, std::int64_t rows, std::int64_t columns);

/// The communication of the timed region on `tasks` tasks, exactly (docs/kernels/cg.md has the formulas).
Traffic classic_traffic(const Parameters& problem, int tasks, Prefer prefer);
Traffic merged_traffic(const Parameters& problem, int tasks, Prefer prefer);
Traffic paper_traffic(const Parameters& problem, int tasks);

/// Memory of the blocks of all tasks together in bytes, while they are assembled, in a grid of so many columns. In
/// how many forms a thread has its slab until it takes one depends on the caches (storage.hpp).
std::uint64_t matrix_memory_bytes(const Parameters& problem, int grid_cols, int tasks, int threads,
                                  std::span<const Cache> caches);
/// Memory of all tasks together in bytes, while the matrix is assembled (then it is largest).
std::uint64_t memory_bytes(const Parameters& problem, int tasks, int threads, std::span<const Cache> caches);
/// The same for variant `paper`.
std::uint64_t paper_memory_bytes(const Parameters& problem, int tasks, int threads, std::span<const Cache> caches);

}  // namespace nasvm::cg
