#include "kernels/ft/solver.hpp"

#include <stdexcept>

namespace nasvm::ft {

std::unique_ptr<Solver> make_solver(EngineKind kind, Comm& comm, const Grid& grid, int threads) {
  switch (kind) {
    case EngineKind::fused:
      return make_fused_solver(comm, grid, threads);
    case EngineKind::fftw:
      return make_fftw_solver(comm, grid, threads);
    case EngineKind::paper:
      return make_paper_solver(comm, grid, threads);
  }
  throw std::invalid_argument("ft: no such engine");
}

}  // namespace nasvm::ft
