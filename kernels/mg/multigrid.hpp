#pragma once
/// \file
/// The V-cycle of MG on one task's slabs: where computing (sweep.hpp) and communication (halo.hpp) meet.
///
/// Solves A u = v. Level 0 is the coarsest grid. In a cycle every residual is restricted down to level 0, smoothed
/// there, and on the way up each level is prolongated to, gets a new residual, and is smoothed. The finest
/// level corrects u itself and takes v as its right-hand side; the others begin from zero, with the
/// restricted residual. The residual of the finest level is never stored: it is restricted, and its squares are
/// summed, while it is computed.
///
/// Source: The NAS Parallel Benchmarks, RNR-94-007, section 2.2.2.

#include <vector>

#include "kernels/common/tuning_choice.hpp"
#include "kernels/mg/charges.hpp"
#include "kernels/mg/choices.hpp"
#include "kernels/mg/grid.hpp"
#include "kernels/mg/halo.hpp"
#include "kernels/mg/hierarchy.hpp"
#include "kernels/mg/sweep.hpp"
#include "vm/comm.hpp"

namespace nasvm::mg {

class Multigrid {
 public:
  /// Collective in the sense that all tasks of the Comm make the same; takes the memory, sends nothing.
  Multigrid(Comm& comm, int levels, const Coefficients& smoother, int threads,
            int merge_edge = Hierarchy::default_merge_edge);

  /// This task's planes of the finest grid.
  [[nodiscard]] Range slab() const { return hierarchy_.planes(hierarchy_.finest(), comm_.rank()); }
  /// u = 0, v = the charges.
  void start(const Charges& charges);
  /// r = v - A u, restricted once. For the beginning: no messages.
  void residual();
  /// Tries strips of two sizes in the sweep of the finest grid, and then to ask for planes twice and thrice, and
  /// keeps to the faster: how fast a third cache is beside the second differs between processors, and how much of
  /// what is asked for comes. For the set-up, after a cycle: u has no meaning afterwards. Collective: all tasks sweep
  /// at the same time, as they will.
  void choose_sweep();
  /// After it: what this task has chosen.
  [[nodiscard]] const TuningChoices& choices() const { return choices_; }
  /// u = u + M r, and then residual(). Collective; its messages are on their way when the next cycle begins.
  void v_cycle();
  /// u between two cycles: this task's planes of it, to be saved.
  [[nodiscard]] KernelState state() { return finest_state(slab()); }
  /// After `start`: u with all planes that it needs, to be filled before `residual`.
  [[nodiscard]] KernelState state_to_fill() { return finest_state(finest().u.planes()); }
  /// sqrt(sum r^2 / points), the same on every task. Collective.
  [[nodiscard]] double residual_norm();

 private:
  struct Level {
    int edge = 0;
    int threads = 1;
    Grid u;
    Grid r;                         ///< on the finest level v
    Halo halo;                      ///< of r; on the finest level of u
    std::vector<PlaneMove> images;  ///< of u, where the task has the whole grid
  };

  Level make_level(int level, int threads) const;
  [[nodiscard]] Level& at(int level) { return levels_[static_cast<std::size_t>(level)]; }
  [[nodiscard]] Level& finest() { return levels_.back(); }
  [[nodiscard]] KernelState finest_state(Range planes);

  /// Makes r of all coarser grids from that of the next to finest, and moves what tasks need of each other's.
  void descend();
  /// Gives every task all of r, of which each has made its partner planes.
  void gather_residual(int level);
  /// r of the partner planes from r of the next finer grid.
  void restrict_to(int level);
  /// u of the coarsest grid: r smoothed once.
  void solve_coarsest();
  /// u of a grid between from u of the next coarser one and r: one sweep.
  void correct(int level);
  /// The sweep of the finest grid: corrects u, restricts the new residual.
  void correct_finest();
  /// How long that takes with one of its settings as usual and in another way, in turns; leaves it as usual.
  /// Collective.
  template <typename Setting>
  [[nodiscard]] SweepTimes try_sweeps(Setting& setting, Setting usual, Setting other);
  /// The part of the finest grid's planes, given by coarse partners, that one of `parts` threads takes.
  [[nodiscard]] ResidualSink residual_sink(int parts, int part);

  Comm& comm_;
  Hierarchy hierarchy_;
  Coefficients smoother_;
  bool active_;
  int strip_ = 0;  ///< rows, of the finest grid's sweep; 0: as usual
  Asking asking_ = Asking::twice;
  bool halo_is_current_ = true;  ///< of u on the finest level
  std::vector<Level> levels_;
  std::vector<Scratch> scratch_;  ///< of each thread
  std::vector<double> squares_;   ///< of each plane of the slab
  std::vector<double> gathered_;  ///< this task's part
  TuningChoices choices_;
};

}  // namespace nasvm::mg
