#include "kernels/mg/multigrid.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "kernels/mg/parallel.hpp"
#include "kernels/mg/problem.hpp"

namespace nasvm::mg {
namespace {

/// Grids with shorter edges are computed by one thread: starting a team would take longer.
constexpr int smallest_threaded_edge = 32;
/// Task 0 owns the merged levels.
constexpr Rank root = 0;

Planes planes_at(const Grid& grid, std::int64_t z) { return {grid.plane(z - 1), grid.plane(z), grid.plane(z + 1)}; }

Range with_halo(Range planes) { return {planes.begin - 1, planes.end + 1}; }

}  // namespace

Multigrid::Multigrid(Comm& comm, int levels, const Coefficients& smoother, int threads, int merge_edge)
    : comm_(comm), hierarchy_(levels, comm.size(), merge_edge), smoother_(smoother) {
  for (int level = 0; level < levels; ++level) levels_.push_back(make_level(level, threads));
  const int finest = hierarchy_.finest();
  v_ = Grid(Hierarchy::edge(finest), at(finest).planes, threads);

  std::size_t most = 0;
  for (const Level& level : levels_) {
    most = std::max(most, level.restriction.sends.size() + level.restriction.copies.size());
  }
  const std::size_t points = at(finest).u.points_per_plane() / 4;
  for (auto& buffer : contributed_) buffer.resize(points);
  contributions_.assign(most, std::vector<double>(points));
}

Multigrid::Level Multigrid::make_level(int level, int threads) const {
  const Rank rank = comm_.rank();
  const int edge = Hierarchy::edge(level);
  Level made;
  made.planes = hierarchy_.planes(level, rank);
  made.threads = edge < smallest_threaded_edge ? 1 : threads;
  made.halo = halo_plan(hierarchy_.halo_moves(level), rank);
  if (level > 0) made.restriction = halo_plan(hierarchy_.restriction_moves(level), rank);
  bool stored = made.planes.size() > 0;
  Range slab = made.planes;
  if (level < hierarchy_.finest()) {
    made.prolongation = halo_plan(hierarchy_.prolongation_moves(level), rank);
    // A task that has left this level still restricts to it, or prolongates from it, at the place of its fine planes.
    if (!stored && hierarchy_.active(level + 1, rank)) {
      slab = hierarchy_.partner_planes(level, rank);
      stored = true;
    }
  }
  if (stored) {
    made.u = Grid(edge, slab, made.threads);
    made.r = Grid(edge, slab, made.threads);
  }
  return made;
}

void Multigrid::start(const Charges& charges) {
  Level& finest = at(hierarchy_.finest());
  finest.u.zero(finest.threads);
  v_.zero(finest.threads);
  place(charges, v_);
}

void Multigrid::residual() { compute_residual(at(hierarchy_.finest()), v_); }

void Multigrid::v_cycle() {
  const int finest = hierarchy_.finest();
  for (int level = finest - 1; level >= 0; --level) restrict_to(level);

  Level& coarsest = at(0);
  coarsest.u.zero(coarsest.threads);
  smooth(coarsest);

  for (int level = 1; level <= finest; ++level) {
    prolongate_to(level);
    compute_residual(at(level), level == finest ? v_ : at(level).r);
    smooth(at(level));
  }
  exchange_halo(at(finest).halo, at(finest).u);
}

double Multigrid::residual_norm() {
  const Level& finest = at(hierarchy_.finest());
  // One sum per plane, added in order: the result does not depend on the threads.
  std::vector<double> sums(static_cast<std::size_t>(finest.planes.size()));
  for_planes(finest.threads, finest.planes, [&](std::int64_t z) {
    sums[static_cast<std::size_t>(z - finest.planes.begin)] =
        sum_of_squares(finest.r.plane(z), finest.r.points_per_plane());
  });
  const double sum = comm_.allreduce_value(std::accumulate(sums.begin(), sums.end(), 0.0));
  return std::sqrt(sum / std::pow(Hierarchy::edge(hierarchy_.finest()), 3));
}

// --- computing ----------------------------------------------------------------------------------------------

void Multigrid::compute_residual(Level& level, const Grid& rhs) {
  for_planes(level.threads, level.planes, [&](std::int64_t z) {
    residual_plane(laplacian, planes_at(level.u, z), rhs.plane(z), level.r.plane(z), level.r.edge());
  });
}

void Multigrid::smooth(Level& level) {
  exchange_halo(level.halo, level.r);
  for_planes(level.threads, level.planes, [&](std::int64_t z) {
    smooth_plane(smoother_, planes_at(level.r, z), level.u.plane(z), level.u.edge());
  });
}

void Multigrid::restrict_to(int level) {
  const Level& fine = at(level + 1);
  Level& coarse = at(level);
  exchange_contributions(fine);
  if (fine.planes.size() > 0) {
    const Range partners = hierarchy_.partner_planes(level, comm_.rank());
    for_chunks(fine.threads, partners, [&](Range chunk) { restrict_planes(fine.r, coarse.r, chunk); });
  }
  if (hierarchy_.gathered(level)) gather_residual(level);
}

void Multigrid::restrict_planes(const Grid& fine, Grid& coarse, Range planes) const {
  const std::size_t points = coarse.points_per_plane();
  std::vector<double> below(points);
  std::vector<double> above(points);
  // What an even fine plane contributes to both of its coarse neighbours; beyond the slab, others have computed it.
  const auto contribution = [&](std::int64_t z, std::vector<double>& buffer) {
    if (z < fine.planes().begin) return contributed_[0].data();
    if (z >= fine.planes().end) return contributed_[1].data();
    restrict_in_plane(fine.plane(z), fine.edge(), 1.0, buffer.data());
    return static_cast<const double*>(buffer.data());
  };
  const double* lower = contribution(2 * planes.begin, below);
  for (std::int64_t c = planes.begin; c < planes.end; ++c) {
    restrict_in_plane(fine.plane(2 * c + 1), fine.edge(), 2.0, coarse.plane(c));
    const double* upper = contribution(2 * c + 2, above);
    add_planes(lower, upper, coarse.plane(c), points);
    below.swap(above);
    lower = upper;
  }
}

void Multigrid::prolongate_to(int level) {
  const Level& coarse = at(level - 1);
  Level& fine = at(level);
  if (hierarchy_.gathered(level - 1)) {
    hand_out_correction(level - 1);
  } else {
    exchange_halo(coarse.prolongation, at(level - 1).u);
  }
  if (fine.planes.size() == 0) return;
  const Store store = level == hierarchy_.finest() ? Store::add : Store::assign;
  for_planes(fine.threads, with_halo(fine.planes), [&](std::int64_t z) {
    const std::int64_t on = z >> 1;  // rounds down: plane -1 lies on coarse plane -1
    const std::int64_t other = (z & 1) != 0 ? on : on - 1;
    prolongate_plane(coarse.u.plane(other), coarse.u.plane(on), coarse.u.edge(), store, fine.u.plane(z));
  });
}

// --- communication ------------------------------------------------------------------------------------------

void Multigrid::exchange_halo(const HaloPlan& plan, Grid& grid) {
  exchange(
      comm_, plan, [&](const PlaneMove& move) { return grid.span(move.plane); },
      [&](Side side) { return grid.span(side == Side::below ? grid.planes().begin - 1 : grid.planes().end); });
}

void Multigrid::exchange_contributions(const Level& fine) {
  const std::size_t points = fine.r.points_per_plane() / 4;
  std::size_t used = 0;
  exchange(
      comm_, fine.restriction,
      [&](const PlaneMove& move) {
        std::vector<double>& buffer = contributions_[used++];
        restrict_in_plane(fine.r.plane(move.plane), fine.r.edge(), 1.0, buffer.data());
        return std::span<double>(buffer.data(), points);
      },
      [&](Side side) { return std::span<double>(contributed_[side == Side::below ? 0 : 1].data(), points); });
}

void Multigrid::gather_residual(int level) {
  Grid& r = at(level).r;
  if (comm_.rank() != root) {
    const Range partners = hierarchy_.partner_planes(level, comm_.rank());
    if (partners.size() > 0) comm_.send(r.span(partners), root, gather_tag);
    return;
  }
  std::vector<Request> requests;
  for (Rank task = 1; task < comm_.size(); ++task) {
    const Range partners = hierarchy_.partner_planes(level, task);
    if (partners.size() > 0) requests.push_back(comm_.irecv(r.span(partners), task, gather_tag));
  }
  comm_.wait_all(requests);
}

void Multigrid::hand_out_correction(int level) {
  Grid& u = at(level).u;
  if (comm_.rank() != root) {
    if (!hierarchy_.active(level + 1, comm_.rank())) return;
    comm_.recv(u.span(with_halo(hierarchy_.partner_planes(level, comm_.rank()))), root, hand_out_tag);
    return;
  }
  exchange_halo(at(level).halo, u);
  std::vector<Request> requests;
  for (Rank task = 1; task < comm_.size(); ++task) {
    if (!hierarchy_.active(level + 1, task)) continue;
    requests.push_back(comm_.isend(u.span(with_halo(hierarchy_.partner_planes(level, task))), task, hand_out_tag));
  }
  comm_.wait_all(requests);
}

}  // namespace nasvm::mg
