#include "kernels/mg/sweep.hpp"

#include <algorithm>

namespace nasvm::mg {
namespace {

Planes around(const PlaneTable& u, std::int64_t z) { return {u[z - 1], u[z], u[z + 1]}; }

class Pass {
 public:
  Pass(const Sweep& sweep, const PlaneTable& u, Scratch& scratch) : sweep_(sweep), u_(u), scratch_(scratch) {}

  void prolongate(std::int64_t z) {
    const std::int64_t on = z >> 1;  // rounds down: plane -1 lies on coarse plane -1
    const std::int64_t other = (z & 1) != 0 ? on : on - 1;
    prolongate_plane(sweep_.coarse->plane(other), sweep_.coarse->plane(on), sweep_.store, u_[z], sweep_.edge);
  }
  /// Fetches the plane of u that is prolongated to next: z+1 is the last that has been.
  void take_residual(std::int64_t z) {
    residual_plane(sweep_.a, around(u_, z), sweep_.rhs->plane(z), ring(z), sweep_.edge,
                   u_[std::min(z + 2, u_.window().end - 1)]);
  }
  /// Fetches the right-hand side of the next residual.
  void smooth(std::int64_t z) {
    smooth_plane(sweep_.smoother, {ring(z - 1), ring(z), ring(z + 1)}, u_[z], sweep_.edge,
                 sweep_.rhs->plane(std::min(z + 2, sweep_.rhs->planes().end - 1)));
  }
  void restrict_last_residual(std::int64_t z) {
    if (sweep_.sink != nullptr) restrict_residual(*sweep_.sink, around(u_, z), z, scratch_);
  }

 private:
  [[nodiscard]] double* ring(std::int64_t z) { return scratch_.ring(z, sweep_.edge); }

  const Sweep& sweep_;
  const PlaneTable& u_;
  Scratch& scratch_;
};

}  // namespace

Scratch::Scratch(int edge, int threads) : memory_(edge, {0, planes_for(threads)}, 1) {}

Restriction restriction_of(std::int64_t z, Grid& coarse, Range planes) {
  const auto plane = [&](std::int64_t c) { return planes.contains(c) ? coarse.plane(c) : nullptr; };
  const std::int64_t on = z >> 1;
  if ((z & 1) != 0) return {0.5, plane(on), nullptr};
  return {0.25, plane(on - 1), plane(on)};
}

void restrict_residual(const ResidualSink& sink, const Planes& u, std::int64_t z, Scratch& scratch) {
  const int edge = sink.rhs->edge();
  const double squares =
      restrict_residual_plane(sink.a, u, sink.rhs->plane(z),
                              restriction_of(z, *sink.residual, sink.coarse), scratch.rows(), edge);
  if (sink.counted.contains(z)) sink.squares[z] = squares;
}

void run_sweep(const Sweep& sweep, const PlaneTable& u, Scratch& scratch) {
  Pass pass(sweep, u, scratch);
  const std::int64_t begin = u.window().begin;
  for (std::int64_t z = begin; z < u.window().end; ++z) {
    pass.prolongate(z);
    if (z >= begin + 2) pass.take_residual(z - 1);
    if (z >= begin + 4) pass.smooth(z - 2);
    if (z >= begin + 6) pass.restrict_last_residual(z - 3);
  }
}

}  // namespace nasvm::mg
