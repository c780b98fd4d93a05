#pragma once
/// \file
/// The solution of FT's equation on one task: initial spectrum V, then the checksum of the solution at any time.
/// Nothing here is timed or compared; benchmark.hpp does that.

#include <memory>

#include "kernels/ft/problem.hpp"
#include "vm/comm.hpp"

namespace nasvm::ft {

/// The engine of the transforms: `fused` is our own engine for powers of two, `fftw` works for every size.
enum class EngineKind { fused, fftw };

class Solver {
 public:
  virtual ~Solver() = default;
  /// Generates U and transforms it: V = F(U). Collective: one transpose.
  virtual void start() = 0;
  /// X = F^-1(V * factors of t), its checksum at rank 0, elsewhere undefined. Collective: one transpose and one
  /// reduction of a complex number.
  virtual Complex checksum_at(int t) = 0;
};

/// Allocates fields and prepares transforms; no communication. `comm` must outlive the solver. A fused solver of
/// a grid that it does not take (see fused_takes): std::invalid_argument.
std::unique_ptr<Solver> make_solver(EngineKind kind, Comm& comm, const Grid& grid, int threads);
std::unique_ptr<Solver> make_fused_solver(Comm& comm, const Grid& grid, int threads);
std::unique_ptr<Solver> make_fftw_solver(Comm& comm, const Grid& grid, int threads);

/// Powers of two: nx and nz from 32, ny from 64 up. All classes are such.
bool fused_takes(const Grid& grid);

}  // namespace nasvm::ft
