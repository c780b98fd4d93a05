#pragma once
/// \file
/// The solution of FT's equation on one task: initial spectrum V, then the checksum of the solution at any time.
/// Nothing here is timed or compared; benchmark.hpp does that.

#include <memory>

#include "kernels/checkpoint.hpp"
#include "kernels/ft/problem.hpp"
#include "vm/comm.hpp"

namespace nasvm::ft {

/// Who transforms, and how often the field changes hands: `fused` is our own engine for powers of two, `fftw` works
/// for every size; both transpose once for each three-dimensional transform. `paper` is `fftw` in slabs that it never
/// leaves for good: a transpose to the pencils and one back (White, Alund, Sunderam, section 4.5).
enum class EngineKind { fused, fftw, paper };

/// Transposes of one three-dimensional transform.
constexpr int transposes(EngineKind engine) { return engine == EngineKind::paper ? 2 : 1; }

class Solver {
 public:
  virtual ~Solver() = default;
  /// Generates U and transforms it: V = F(U); the fused solver makes its roots of unity first. Collective: the
  /// transposes of one transform.
  virtual void start() = 0;
  /// X = F^-1(V * factors of t), its checksum at rank 0, elsewhere undefined. Collective: the transposes of one
  /// transform and one reduction of a complex number.
  virtual Complex checksum_at(int t) = 0;
  /// V as it is shared: all that `checksum_at` needs. Whoever fills it does not need `start`.
  virtual KernelState state() = 0;
};

/// Allocates fields and prepares transforms; no communication. `comm` must outlive the solver. A fused solver of
/// a grid that it does not take (see fused_takes): std::invalid_argument.
std::unique_ptr<Solver> make_solver(EngineKind kind, Comm& comm, const Grid& grid, int threads);
std::unique_ptr<Solver> make_fused_solver(Comm& comm, const Grid& grid, int threads);
std::unique_ptr<Solver> make_fftw_solver(Comm& comm, const Grid& grid, int threads);
std::unique_ptr<Solver> make_paper_solver(Comm& comm, const Grid& grid, int threads);

/// Powers of two: nx and nz from 32, ny from 64 up. All classes are such.
bool fused_takes(const Grid& grid);

}  // namespace nasvm::ft
