#include "kernels/mg/multigrid.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "kernels/common/caches.hpp"
#include "kernels/common/trial.hpp"
#include "kernels/mg/choices.hpp"
#include "kernels/mg/parallel.hpp"
#include "kernels/mg/problem.hpp"

namespace nasvm::mg {
namespace {

/// Fine planes whose residuals make coarse planes.
Range fine_planes(Range coarse) { return {2 * coarse.begin, 2 * coarse.end + 1}; }

/// Which planes of its window a thread changes in the grid itself; the others it has for itself. The first thread and
/// the last have the grid's halo.
Range shared_planes(Range stored, Range chunk, int parts, int part) {
  return {part == 0 ? stored.begin : chunk.begin, part == parts - 1 ? stored.end : chunk.end};
}

/// Where the planes of `window` lie: those in `shared` in the grid, the others in the thread's own memory.
PlaneTable plane_table(Range window, Range shared, Grid& grid, Scratch& scratch) {
  PlaneTable table(window);
  int used = 0;
  for (std::int64_t z = window.begin; z < window.end; ++z) {
    table[z] = shared.contains(z) ? grid.plane(z) : scratch.private_plane(used++, grid.edge());
  }
  return table;
}

}  // namespace

Multigrid::Multigrid(Comm& comm, int levels, const Coefficients& smoother, int threads, int merge_edge)
    : comm_(comm),
      hierarchy_(levels, comm.size(), merge_edge),
      smoother_(smoother),
      active_(hierarchy_.is_active(comm.rank())) {
  for (int level = 0; level < levels; ++level) levels_.push_back(make_level(level, threads));
  if (active_) {
    scratch_.resize(static_cast<std::size_t>(threads));
    for_parts(threads, [&](int part) { scratch_[static_cast<std::size_t>(part)] = Scratch(finest().edge, threads); });
  }
  squares_.resize(static_cast<std::size_t>(slab().size()));
}

Multigrid::Level Multigrid::make_level(int level, int threads) const {
  const Rank rank = comm_.rank();
  Level made;
  made.edge = Hierarchy::edge(level);
  made.threads = threads_for(made.edge, threads);
  if (!active_) {
    // It takes part in the allgather, which gives every task the whole grid.
    if (hierarchy_.is_gathered(level)) made.r = Grid(made.edge, {0, made.edge}, 1);
    return made;
  }
  made.halo = Halo(hierarchy_.moves(level), rank);
  const Range stored = hierarchy_.stored_planes(level, rank);
  if (level < hierarchy_.finest() && hierarchy_.is_whole(level)) {
    made.images = hierarchy_.moves_to(level, rank, stored);
  }
  made.u = Grid(made.edge, stored, made.threads);
  made.r = Grid(made.edge, hierarchy_.residual_planes(level, rank), made.threads);
  return made;
}

void Multigrid::start(const Charges& charges) {
  if (!active_) return;
  finest().halo.finish(comm_);
  finest().u.zero(finest().threads);
  finest().r.zero(finest().threads);
  place(charges, finest().r);
  halo_is_current_ = true;
}

KernelState Multigrid::finest_state(Range planes) {
  // A task without planes has no grid that would know its edge.
  if (!active_) return Grid(finest().edge, {}, 1).state_of({});
  return finest().u.state_of(planes);
}

void Multigrid::v_cycle() {
  if (active_ && !halo_is_current_) finest().halo.start(comm_, finest().u);
  descend();
  if (!active_) return;
  solve_coarsest();
  for (int level = 1; level < hierarchy_.finest(); ++level) correct(level);
  finest().halo.finish(comm_);
  correct_finest();
  halo_is_current_ = false;
}

double Multigrid::residual_norm() {
  // One sum per plane, added in order: the result does not depend on the threads.
  const double sum = comm_.allreduce_value(std::accumulate(squares_.begin(), squares_.end(), 0.0));
  return std::sqrt(sum / std::pow(Hierarchy::edge(hierarchy_.finest()), 3));
}

// --- down -----------------------------------------------------------------------------------------------------

void Multigrid::descend() {
  for (int level = hierarchy_.finest() - 1; level >= 0; --level) {
    if (level < hierarchy_.finest() - 1 && active_) restrict_to(level);
    if (hierarchy_.is_gathered(level)) gather_residual(level);
    at(level).halo.start(comm_, at(level).r);
    at(level).halo.finish(comm_);
  }
}

void Multigrid::restrict_to(int level) {
  const Level& fine = at(level + 1);
  Grid& coarse = at(level).r;
  const Range partners = hierarchy_.partner_planes(level, comm_.rank());
  const int parts = parts_of(partners, fine.threads);
  for_parts(parts, [&](int part) {
    const Range chunk = share(partners, parts, part);
    if (chunk.size() == 0) return;
    const Range sources = fine_planes(chunk);
    for (std::int64_t z = sources.begin; z < sources.end; ++z) {
      restrict_plane(fine.r.plane(z), restriction_of(z, coarse, chunk),
                     scratch_[static_cast<std::size_t>(part)].rows(), fine.edge);
    }
  });
}

void Multigrid::gather_residual(int level) {
  Grid& r = at(level).r;
  std::vector<std::size_t> counts;
  for (Rank task = 0; task < comm_.size(); ++task) {
    counts.push_back(r.span(hierarchy_.partner_planes(level, task)).size());
  }
  // The result must not overlap what is sent.
  const std::span<const double> own = r.span(hierarchy_.partner_planes(level, comm_.rank()));
  gathered_.assign(own.begin(), own.end());
  comm_.allgatherv(gathered_, r.span(Range{0, r.edge()}), counts);
}

// --- up -------------------------------------------------------------------------------------------------------

void Multigrid::solve_coarsest() {
  Level& coarsest = at(0);
  coarsest.u.zero(1);
  const Range planes = hierarchy_.correction_planes(0, comm_.rank());
  for (std::int64_t z = planes.begin; z < planes.end; ++z) {
    smooth_plane(smoother_, {coarsest.r.plane(z - 1), coarsest.r.plane(z), coarsest.r.plane(z + 1)},
                 coarsest.u.plane(z), coarsest.edge, {0, coarsest.edge}, {.u = coarsest.u.plane(z)});
  }
  copy_planes(coarsest.images, coarsest.u);
}

void Multigrid::correct(int level) {
  Level& here = at(level);
  const Sweep sweep{.edge = here.edge,
                    .a = laplacian,
                    .smoother = smoother_,
                    .coarse = &at(level - 1).u,
                    .store = Store::assign,
                    .rhs = &here.r,
                    .sink = nullptr};
  const Range planes = hierarchy_.correction_planes(level, comm_.rank());
  const int parts = parts_of(planes, here.threads);
  for_parts(parts, [&](int part) {
    const Range chunk = share(planes, parts, part);
    Scratch& scratch = scratch_[static_cast<std::size_t>(part)];
    const Range shared = shared_planes(here.u.planes(), chunk, parts, part);
    run_sweep(sweep, plane_table(chunk.widened(2), shared, here.u, scratch), scratch);
  });
  copy_planes(here.images, here.u);
}

ResidualSink Multigrid::residual_sink(int parts, int part) {
  const int level = hierarchy_.finest() - 1;
  const Range partners = hierarchy_.partner_planes(level, comm_.rank());
  const Range chunk = share(partners, parts, part);
  // The plane at the bound between two threads is computed by both, and counted by the upper.
  const Range counted = shared_planes(slab(), {2 * chunk.begin, 2 * chunk.end}, parts, part);
  return {.a = laplacian,
          .rhs = &finest().r,
          .residual = &at(level).r,
          .coarse = chunk,
          .counted = counted,
          .squares = squares_.data() - slab().begin};
}

void Multigrid::residual() {
  if (!active_) return;
  const Range partners = hierarchy_.partner_planes(hierarchy_.finest() - 1, comm_.rank());
  const int parts = parts_of(partners, finest().threads);
  const Grid& u = finest().u;
  for_parts(parts, [&](int part) {
    const ResidualSink out = residual_sink(parts, part);
    const Range planes = fine_planes(out.coarse);
    for (std::int64_t z = planes.begin; z < planes.end; ++z) {
      const SoonPlanes soon{u.plane(std::min(z + 2, u.planes().end - 1)),
                            out.rhs->plane(std::min(z + 1, out.rhs->planes().end - 1))};
      restrict_residual(out, {u.plane(z - 1), u.plane(z), u.plane(z + 1)}, z, {1, u.edge() + 1}, Store::assign, soon,
                        scratch_[static_cast<std::size_t>(part)]);
    }
  });
}

template <typename Setting>
SweepTimes Multigrid::try_sweeps(Setting& setting, Setting usual, Setting other) {
  const TrialClock clock = finest().threads == 1 ? TrialClock::of_thread : TrialClock::passed;
  Trial of_usual(clock);
  Trial of_other(clock);
  for (const bool tries_other : {false, true, true, false}) {
    // Tasks without planes take part, and those to which both are one, which depends on the host.
    comm_.barrier();
    if (!active_ || usual == other) continue;
    setting = tries_other ? other : usual;
    (tries_other ? of_other : of_usual).run([this] { correct_finest(); });
  }
  setting = usual;
  return {of_usual.shortest_s(), of_other.shortest_s()};
}

void Multigrid::choose_sweep() {
  const StripRows rows = strip_rows_for(finest().edge, own_bytes(caches_here()));
  const SweepTimes of_strips = try_sweeps(strip_, rows.usual, rows.differ() ? rows.shorter : rows.usual);
  if (rows.differ()) strip_ = faster_strip(rows, of_strips);
  const SweepTimes of_asking = try_sweeps(asking_, Asking::twice, Asking::thrice);
  asking_ = faster_asking(of_asking);
  if (!active_) return;
  choices_ = {rows.differ() ? tried_strips(rows, of_strips) : untried_strips(rows), tried_asking(of_asking)};
}

void Multigrid::correct_finest() {
  const Range partners = hierarchy_.partner_planes(hierarchy_.finest() - 1, comm_.rank());
  const int parts = parts_of(partners, finest().threads);
  const auto table = [&](int part) {
    const Range chunk = share(partners, parts, part);
    const Range shared = shared_planes(finest().u.planes(), {2 * chunk.begin, 2 * chunk.end}, parts, part);
    return plane_table(fine_planes(chunk).widened(3), shared, finest().u, scratch_[static_cast<std::size_t>(part)]);
  };
  // Before anybody changes them, each thread copies the planes that it has for itself.
  if (parts > 1) {
    for_parts(parts, [&](int part) {
      const PlaneTable planes = table(part);
      for (std::int64_t z = planes.window().begin; z < planes.window().end; ++z) {
        if (planes[z] != finest().u.plane(z)) std::ranges::copy(finest().u.span(z), planes[z]);
      }
    });
  }
  for_parts(parts, [&](int part) {
    const ResidualSink out = residual_sink(parts, part);
    const Sweep sweep{.edge = finest().edge,
                      .a = laplacian,
                      .smoother = smoother_,
                      .coarse = &at(hierarchy_.finest() - 1).u,
                      .store = Store::add,
                      .rhs = &finest().r,
                      .sink = &out,
                      .strip = strip_,
                      .asking = asking_};
    run_sweep(sweep, table(part), scratch_[static_cast<std::size_t>(part)]);
  });
}

}  // namespace nasvm::mg
