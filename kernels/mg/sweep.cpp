#include "kernels/mg/sweep.hpp"

#include <algorithm>

namespace nasvm::mg {
namespace {

Planes around(const PlaneTable& u, std::int64_t z) { return {u[z - 1], u[z], u[z + 1]}; }

int strip_rows(const Sweep& sweep) {
  return sweep.strip != 0 ? sweep.strip : std::min(sweep.edge, usual_points_of_strip / sweep.edge);
}

/// The rows that each operation takes in a strip: it stops short of the one before, and begins where it has stopped
/// in the strip before. In the first strip it begins where the rows that it reads are final (the restriction with an
/// odd row); in the last one it makes up for that, round the edge.
struct Strip {
  Strip(Rows strip, int edge) : first(strip.begin == 0), last(strip.end == edge) {
    const auto rows = [&](int start, int short_by) {
      return Rows{first ? start : strip.begin - short_by, last ? edge + start : strip.end - short_by};
    };
    prolongated = rows(0, 0);
    residual = rows(1, 1);
    smoothed = rows(2, 2);
    restricted = rows(5, 3);
  }

  bool first;
  bool last;
  Rows prolongated;
  Rows residual;
  Rows smoothed;
  Rows restricted;
};

/// One strip of all planes.
class Pass {
 public:
  Pass(const Sweep& sweep, const Strip& strip, const PlaneTable& u, Scratch& scratch)
      : sweep_(sweep), strip_(strip), u_(u), scratch_(scratch) {}

  void prolongate(std::int64_t z) {
    const std::int64_t on = z >> 1;  // rounds down: plane -1 lies on coarse plane -1
    const std::int64_t other = (z & 1) != 0 ? on : on - 1;
    prolongate_plane(sweep_.coarse->plane(other), sweep_.coarse->plane(on), sweep_.store, u_[z], sweep_.edge,
                     strip_.prolongated);
  }
  /// Fetches the plane of u that is prolongated to next, z+1 is the last that has been, or also what the smoothing
  /// fetches.
  void take_residual(std::int64_t z) {
    residual_plane(sweep_.a, around(u_, z), sweep_.rhs->plane(z), ring(z), sweep_.edge, strip_.residual,
                   {u_plane_or_last(z + 2), asks_thrice() ? rhs_plane_or_last(z + 1) : nullptr});
    pass_on(z);
  }
  /// Fetches the right-hand side of the next residual, or also what the residual has fetched.
  void smooth(std::int64_t z) {
    smooth_plane(sweep_.smoother, {ring(z - 1), ring(z), ring(z + 1)}, u_[z], sweep_.edge, strip_.smoothed,
                 {asks_thrice() ? u_plane_or_last(z + 3) : nullptr, rhs_plane_or_last(z + 2)});
  }
  /// Fetches what these two have asked for, once more.
  void restrict_last_residual(std::int64_t z) {
    if (sweep_.sink == nullptr) return;
    restrict_residual(*sweep_.sink, around(u_, z), z, strip_.restricted, strip_.first ? Store::assign : Store::add,
                      {u_plane_or_last(z + 4), rhs_plane_or_last(z + 3)}, scratch_);
  }

 private:
  using Border = Scratch::Border;
  [[nodiscard]] bool asks_thrice() const { return sweep_.asking == Asking::thrice; }
  [[nodiscard]] const double* u_plane_or_last(std::int64_t z) const { return u_[std::min(z, u_.window().end - 1)]; }
  [[nodiscard]] const double* rhs_plane_or_last(std::int64_t z) const {
    return sweep_.rhs->plane(std::min(z, sweep_.rhs->planes().end - 1));
  }
  [[nodiscard]] double* ring(std::int64_t z) { return scratch_.ring(z, sweep_.edge); }
  [[nodiscard]] double* kept(std::int64_t z, Border border) {
    return scratch_.kept(z - u_.window().begin, border, sweep_.edge);
  }
  /// Rows of r that the smoothing of this strip reads come from earlier strips, and some of its own go to later ones.
  void pass_on(std::int64_t z) {
    const std::int64_t edge = sweep_.edge;
    double* const below = ring(z) + (strip_.residual.begin - 2) * edge;
    double* const above = ring(z) + (strip_.residual.end - 2) * edge;
    double* const start = ring(z) + edge;
    if (!strip_.first) std::copy_n(kept(z, Border::below), 2 * edge, below);
    if (!strip_.last) std::copy_n(above, 2 * edge, kept(z, Border::below));
    if (strip_.first && !strip_.last) std::copy_n(start, 2 * edge, kept(z, Border::around));
    if (strip_.last && !strip_.first) std::copy_n(kept(z, Border::around), 2 * edge, start);
  }

  const Sweep& sweep_;
  const Strip& strip_;
  const PlaneTable& u_;
  Scratch& scratch_;
};

void run_strip(const Sweep& sweep, const Strip& strip, const PlaneTable& u, Scratch& scratch) {
  Pass pass(sweep, strip, u, scratch);
  const std::int64_t begin = u.window().begin;
  for (std::int64_t z = begin; z < u.window().end; ++z) {
    pass.prolongate(z);
    if (z >= begin + 2) pass.take_residual(z - 1);
    if (z >= begin + 4) pass.smooth(z - 2);
    if (z >= begin + 6) pass.restrict_last_residual(z - 3);
  }
}

}  // namespace

Scratch::Scratch(int edge, int threads) : memory_(edge, {0, planes_for(threads)}, 1) {}

Restriction restriction_of(std::int64_t z, Grid& coarse, Range planes) {
  const auto plane = [&](std::int64_t c) { return planes.contains(c) ? coarse.plane(c) : nullptr; };
  const std::int64_t on = z >> 1;
  if ((z & 1) != 0) return {0.5, plane(on), nullptr};
  return {0.25, plane(on - 1), plane(on)};
}

void restrict_residual(const ResidualSink& sink, const Planes& u, std::int64_t z, Rows rows, Store store,
                       const SoonPlanes& soon, Scratch& scratch) {
  const int edge = sink.rhs->edge();
  const double squares =
      restrict_residual_plane(sink.a, u, sink.rhs->plane(z), restriction_of(z, *sink.residual, sink.coarse),
                              scratch.rows(), edge, rows, soon);
  if (!sink.counted.contains(z)) return;
  sink.squares[z] = squares + (store == Store::add ? sink.squares[z] : 0);
}

void run_sweep(const Sweep& sweep, const PlaneTable& u, Scratch& scratch) {
  const int rows = strip_rows(sweep);
  if (rows < sweep.edge) scratch.keep(u.window().size(), sweep.edge);
  for (int begin = 0; begin < sweep.edge; begin += rows) {
    run_strip(sweep, Strip({begin, begin + rows}, sweep.edge), u, scratch);
  }
}

}  // namespace nasvm::mg
