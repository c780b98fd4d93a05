#include "kernels/ft/solver.hpp"

namespace nasvm::ft {

std::unique_ptr<Solver> make_solver(EngineKind kind, Comm& comm, const Grid& grid, int threads) {
  return kind == EngineKind::fused ? make_fused_solver(comm, grid, threads) : make_fftw_solver(comm, grid, threads);
}

}  // namespace nasvm::ft
