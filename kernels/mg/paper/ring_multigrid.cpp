#include "kernels/mg/paper/ring_multigrid.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "kernels/common/central_sum.hpp"
#include "kernels/mg/paper/ring.hpp"
#include "kernels/mg/parallel.hpp"
#include "kernels/mg/problem.hpp"

namespace nasvm::mg {
namespace {

/// The planes of borders have tag 1 (halo.cpp).
constexpr Tag token_tag = 2;

Planes around(const Grid& grid, std::int64_t z) { return {grid.plane(z - 1), grid.plane(z), grid.plane(z + 1)}; }

Rows all_rows(int edge) { return {0, edge}; }

/// Plane c of the coarse grid from the three of the fine one around it.
void restrict_to_plane(const Grid& fine, Grid& coarse, std::int64_t c) {
  alignas(64) std::array<double, largest_edge> room;
  double* const to = coarse.plane(c);
  restrict_plane(fine.plane(2 * c), {0.25, nullptr, to}, room.data(), fine.edge());
  restrict_plane(fine.plane(2 * c + 1), {0.5, to, nullptr}, room.data(), fine.edge());
  restrict_plane(fine.plane(2 * c + 2), {0.25, to, nullptr}, room.data(), fine.edge());
}

double sum_of_squares(std::span<const double> values) {
  return std::inner_product(values.begin(), values.end(), values.begin(), 0.0);
}

}  // namespace

RingMultigrid::RingMultigrid(Comm& comm, int levels, const Coefficients& smoother, int threads, MessageOrder order)
    : comm_(comm), ring_(ring_of_slabs(levels, comm.size())), smoother_(smoother), order_(order) {
  for (int level = 0; level < levels; ++level) levels_.push_back(make_level(level, threads));
}

RingMultigrid::Level RingMultigrid::make_level(int level, int threads) const {
  const Rank rank = comm_.rank();
  Level made;
  made.edge = Hierarchy::edge(level);
  made.threads = threads_for(made.edge, threads);
  made.slab = ring_.planes(level, rank);
  if (level < ring_.finest()) made.rejoining = Halo(rejoin_moves(ring_, level), rank);
  const bool active = takes_part(ring_, level, rank);
  if (active || (level < ring_.finest() && takes_part(ring_, level + 1, rank))) {
    made.u = Grid(made.edge, with_shadows(ring_, level, rank), made.threads);
  }
  if (!active) return made;
  made.rhs = Grid(made.edge, made.u.planes(), made.threads);
  made.r = Grid(made.edge, made.u.planes(), made.threads);
  made.borders = Halo(border_moves(ring_, level), rank);
  for (Rank other = 0; other < comm_.size(); ++other) {
    if (!takes_part(ring_, level, other)) continue;
    if (other < rank) made.before = other;
    if (other > rank && made.after < 0) made.after = other;
  }
  return made;
}

void RingMultigrid::start(const Charges& charges) {
  if (slab().size() == 0) return;
  finest().u.zero(finest().threads);
  finest().rhs.zero(finest().threads);
  place(charges, finest().rhs);
}

void RingMultigrid::residual() {
  if (slab().size() > 0) take_residual(finest());
}

KernelState RingMultigrid::finest_state(Range planes) {
  // A task without planes has no grid that would know its edge.
  if (slab().size() == 0) return Grid(finest().edge, {}, 1).state_of({});
  return finest().u.state_of(planes);
}

void RingMultigrid::v_cycle() {
  if (slab().size() == 0) return;
  cycle(ring_.finest());
  residual();
}

double RingMultigrid::residual_norm() {
  double own = 0;
  for (std::int64_t z = slab().begin; z < slab().end; ++z) own += sum_of_squares(finest().r.span(z));
  return std::sqrt(central_sum(comm_, own) / std::pow(finest().edge, 3));
}

void RingMultigrid::cycle(int level) {
  if (level == 0) {
    at(0).u.zero(1);
    return smooth(at(0), at(0).rhs);
  }
  Level& coarse = at(level - 1);
  if (coarse.slab.size() > 0) {  // else this task leaves
    restrict_to(level - 1);
    cycle(level - 1);
  }
  coarse.rejoining.start(comm_, coarse.u);
  coarse.rejoining.finish(comm_);
  prolongate(level);
  take_residual(at(level));
  smooth(at(level), at(level).r);
}

void RingMultigrid::restrict_to(int level) {
  const Level& fine = at(level + 1);
  const Grid& source = level + 1 == ring_.finest() ? fine.r : fine.rhs;
  Grid& target = at(level).rhs;
  sweep(at(level), target, [&](std::int64_t c) { restrict_to_plane(source, target, c); });
}

void RingMultigrid::prolongate(int level) {
  const Grid& coarse = at(level - 1).u;
  Grid& u = at(level).u;
  const Store store = level == ring_.finest() ? Store::add : Store::assign;
  sweep(at(level), u, [&](std::int64_t z) {
    const std::int64_t on = z >> 1;
    const std::int64_t other = (z & 1) != 0 ? on : on - 1;
    prolongate_plane(coarse.plane(other), coarse.plane(on), store, u.plane(z), u.edge(), all_rows(u.edge()));
  });
}

void RingMultigrid::take_residual(Level& level) {
  sweep(level, level.r, [&](std::int64_t z) {
    residual_plane(laplacian, around(level.u, z), level.rhs.plane(z), level.r.plane(z), level.edge,
                   all_rows(level.edge), {.u = level.u.plane(z + 1)});
  });
}

void RingMultigrid::smooth(Level& level, const Grid& r) {
  sweep(level, level.u, [&](std::int64_t z) {
    smooth_plane(smoother_, around(r, z), level.u.plane(z), level.edge, all_rows(level.edge),
                 {.rhs = r.plane(z + 1)});
  });
}

template <typename Make>
void RingMultigrid::sweep(Level& level, Grid& changed, const Make& make) {
  const Range slab = level.slab;
  if (order_ != MessageOrder::overlapped) {
    for_planes(level.threads, slab, make);
    if (order_ == MessageOrder::token) return exchange_with_token(level, changed);
    level.borders.start(comm_, changed);
    return level.borders.finish(comm_);
  }
  make(slab.begin);
  if (slab.size() > 1) make(slab.end - 1);
  level.borders.start(comm_, changed);
  // A few planes at a time, so that messages move along.
  for (std::int64_t z = slab.begin + 1; z < slab.end - 1; z += level.threads) {
    for_planes(level.threads, {z, std::min(z + level.threads, slab.end - 1)}, make);
    comm_.progress();
  }
  level.borders.finish(comm_);
}

void RingMultigrid::exchange_with_token(Level& level, Grid& changed) {
  std::array<std::byte, 1> token{};
  level.borders.start_receives(comm_, changed);
  if (level.before >= 0) comm_.recv(token, level.before, token_tag);
  level.borders.start_sends(comm_, changed);
  level.borders.finish_sends(comm_);
  if (level.after >= 0) comm_.send(token, level.after, token_tag);
  level.borders.finish(comm_);
}

}  // namespace nasvm::mg
