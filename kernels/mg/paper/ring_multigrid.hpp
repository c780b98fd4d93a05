#pragma once
/// \file
/// The V-cycle of MG as White, Alund and Sunderam ran it on PVM: a recursion over slabs on a ring, each operation a
/// sweep of its own, and after each the shadows of what it has changed are brought up to date.
/// Source: Performance of the NAS Parallel Benchmarks on PVM-Based Networks, sections 4.2 and 5.2.2; the operations
/// are those of RNR-94-007, section 2.2.2 (multigrid.hpp has the fused ones).
///
/// Exchanges of a cycle: on each grid after the restriction to it (on the finest: after the residual), after the
/// prolongation, after the residual, after the smoothing; on the coarsest the first and the last of these.

#include <vector>

#include "kernels/mg/charges.hpp"
#include "kernels/mg/grid.hpp"
#include "kernels/mg/halo.hpp"
#include "kernels/mg/hierarchy.hpp"
#include "kernels/mg/paper/message_order.hpp"
#include "kernels/mg/stencil.hpp"
#include "vm/comm.hpp"

namespace nasvm::mg {

class RingMultigrid {
 public:
  /// Collective in the sense that all tasks of the Comm make the same; takes the memory, sends nothing.
  RingMultigrid(Comm& comm, int levels, const Coefficients& smoother, int threads, MessageOrder order);

  /// This task's planes of the finest grid.
  [[nodiscard]] Range slab() const { return ring_.planes(ring_.finest(), comm_.rank()); }
  /// u = 0, v = the charges.
  void start(const Charges& charges);
  /// r = v - A u on the finest grid. Collective.
  void residual();
  /// u = u + M r, and then residual(). Collective.
  void v_cycle();
  /// u between two cycles: this task's planes of it, to be saved.
  [[nodiscard]] KernelState state() { return finest_state(slab()); }
  /// After `start`: u with all planes that it needs, to be filled before `residual`.
  [[nodiscard]] KernelState state_to_fill() { return finest_state(finest().u.planes()); }
  /// sqrt(sum r^2 / points), the same on every task: summed at task 0. Collective.
  [[nodiscard]] double residual_norm();

 private:
  struct Level {
    int edge = 0;
    int threads = 1;
    Range slab;
    Grid u;
    Grid rhs;  ///< on the finest level v, on the others the restricted residual
    Grid r;    ///< rhs - A u
    Halo borders;
    Halo rejoining;    ///< of u, before the next finer level is prolongated
    Rank before = -1;  ///< who passes the token to this task, if anybody
    Rank after = -1;   ///< to whom this task passes it
  };

  Level make_level(int level, int threads) const;
  [[nodiscard]] Level& at(int level) { return levels_[static_cast<std::size_t>(level)]; }
  [[nodiscard]] Level& finest() { return levels_.back(); }
  [[nodiscard]] KernelState finest_state(Range planes);

  // All of these are for tasks that take part at the level, and end with shadows up to date.
  /// u = M rhs; on the finest level u = u + M r.
  void cycle(int level);
  /// rhs of a level from the residual of the next finer one.
  void restrict_to(int level);
  /// u = P u of the next coarser level; on the finest that is added.
  void prolongate(int level);
  /// r = rhs - A u.
  void take_residual(Level& level);
  /// u = u + S r.
  void smooth(Level& level, const Grid& r);

  /// Calls `make(z)` for each plane of the slab, which makes plane z of `changed`; exchanges borders.
  template <typename Make>
  void sweep(Level& level, Grid& changed, const Make& make);
  /// Sends when the token comes, then passes it on. Blocks until the shadows have come.
  void exchange_with_token(Level& level, Grid& changed);

  Comm& comm_;
  Hierarchy ring_;
  Coefficients smoother_;
  MessageOrder order_;
  std::vector<Level> levels_;
};

}  // namespace nasvm::mg
