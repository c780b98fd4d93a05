#pragma once
/// \file
/// The V-cycle of MG on one task's slabs: where computing (stencil.hpp) and communication (halo.hpp) meet.
///
/// Solves A u = v. Level 0 is the coarsest grid. In a cycle every residual is restricted down to level 0, smoothed
/// there, and on the way up each level is prolongated to, gets a new residual, and is smoothed. The finest
/// level corrects u itself and takes v as its right-hand side; the others begin from zero, with the
/// restricted residual.
///
/// Halos: between calls, the halo of u on the finest level is up to date. After a prolongation so is that of u on the
/// level that was prolongated to, without messages: prolongation writes the halo planes too. The halo of r is
/// renewed before smoothing.
/// Source: The NAS Parallel Benchmarks, RNR-94-007, section 2.4.2.

#include <array>
#include <vector>

#include "kernels/mg/charges.hpp"
#include "kernels/mg/grid.hpp"
#include "kernels/mg/halo.hpp"
#include "kernels/mg/hierarchy.hpp"
#include "kernels/mg/stencil.hpp"
#include "vm/comm.hpp"

namespace nasvm::mg {

class Multigrid {
 public:
  /// Collective in the sense that all tasks of the Comm make the same; takes the memory, sends nothing.
  Multigrid(Comm& comm, int levels, const Coefficients& smoother, int threads,
            int merge_edge = Hierarchy::default_merge_edge);

  /// This task's planes of the finest grid.
  [[nodiscard]] Range slab() const { return levels_.back().planes; }
  /// u = 0, v = the charges.
  void start(const Charges& charges);
  /// r = v - A u on the finest level. No messages.
  void residual();
  /// u = u + M r. Collective.
  void v_cycle();
  /// sqrt(sum r^2 / points), the same on every task. Collective.
  [[nodiscard]] double residual_norm();

 private:
  struct Level {
    Range planes;  ///< this task's own; empty when it leaves
    int threads = 1;
    Grid u;
    Grid r;
    HaloPlan halo;          ///< both sides, for u and r
    HaloPlan restriction;   ///< for restricting from this level
    HaloPlan prolongation;  ///< for prolongating from this level
  };

  Level make_level(int level, int threads) const;
  [[nodiscard]] Level& at(int level) { return levels_[static_cast<std::size_t>(level)]; }

  void exchange_halo(const HaloPlan& plan, Grid& grid);
  void exchange_contributions(const Level& fine);
  void gather_residual(int level);
  void hand_out_correction(int level);

  void restrict_to(int level);
  void restrict_planes(const Grid& fine, Grid& coarse, Range planes) const;
  void prolongate_to(int level);
  void compute_residual(Level& level, const Grid& rhs);
  void smooth(Level& level);

  Comm& comm_;
  Hierarchy hierarchy_;
  Coefficients smoother_;
  std::vector<Level> levels_;
  Grid v_;
  /// What fine planes beyond this task's slab contribute to its restriction, below and above.
  std::array<std::vector<double>, 2> contributed_;
  /// What this task's planes contribute to the restriction of others (or, the grid being periodic, its own).
  std::vector<std::vector<double>> contributions_;
};

}  // namespace nasvm::mg
