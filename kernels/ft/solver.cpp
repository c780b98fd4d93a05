#include "kernels/ft/solver.hpp"

#include <array>

#include "kernels/ft/checksum.hpp"
#include "kernels/ft/initial.hpp"
#include "kernels/ft/transpose.hpp"

namespace nasvm::ft {

Solver::Solver(Comm& comm, const Grid& grid, int threads)
    : comm_(comm),
      layout_(grid, comm.size(), comm.rank()),
      engine_(make_fftw_engine(grid)),
      transform_(layout_, *engine_, threads),
      threads_(threads),
      spectrum_(layout_.frequency_points()),
      work_(layout_.frequency_points()),
      space_(alone() ? 0 : layout_.space_points()) {}

void Solver::start() {
  Complex* const initial = alone() ? spectrum_.data() : space_.data();
  const std::int64_t planes = layout_.planes().size();
#pragma omp parallel for schedule(static) num_threads(threads_)
  for (std::int64_t plane = 0; plane < planes; ++plane) {
    fill_plane(layout_, plane, initial);
    transform_.transform_plane(Direction::forward, plane, initial);
  }
  if (!alone()) to_frequency(comm_, layout_, space_, spectrum_);
  transform_.transform_pencils(Direction::forward, spectrum_.data());
}

Complex Solver::checksum_at(int t) {
  const Evolution evolution(layout_.grid(), t);
  transform_.transform_evolved_pencils(Direction::inverse, evolution, spectrum_.data(), work_.data());
  if (!alone()) to_space(comm_, layout_, work_, space_);
  Complex* const solution = alone() ? work_.data() : space_.data();
  transform_.transform_planes(Direction::inverse, solution);
  std::array<Complex, 1> sum{checksum_share(layout_, solution)};
  comm_.reduce(sum);
  return sum[0];
}

}  // namespace nasvm::ft
