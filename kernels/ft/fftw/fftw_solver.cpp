#include <array>

#include "kernels/ft/checksum.hpp"
#include "kernels/ft/fftw/initial.hpp"
#include "kernels/ft/fftw/layout.hpp"
#include "kernels/ft/fftw/slab_transform.hpp"
#include "kernels/ft/fftw/state_of_rows.hpp"
#include "kernels/ft/fftw/transforms.hpp"
#include "kernels/ft/fftw/transpose.hpp"
#include "kernels/ft/field.hpp"
#include "kernels/ft/solver.hpp"

namespace nasvm::ft {
namespace {

class FftwSolver final : public Solver {
 public:
  FftwSolver(Comm& comm, const Grid& grid, int threads)
      : comm_(comm),
        layout_(grid, comm.size(), comm.rank()),
        transforms_(grid),
        transform_(layout_, transforms_, threads),
        threads_(threads),
        spectrum_(layout_.frequency_points()),
        work_(layout_.frequency_points()),
        space_(alone() ? 0 : layout_.space_points()) {}

  void start() override {
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

  Complex checksum_at(int t) override {
    const Evolution evolution(layout_.grid(), t);
    transform_.transform_evolved_pencils(Direction::inverse, evolution, spectrum_.data(), work_.data());
    if (!alone()) to_space(comm_, layout_, work_, space_);
    Complex* const solution = alone() ? work_.data() : space_.data();
    transform_.transform_planes(Direction::inverse, solution);
    const auto value = [&](std::int64_t plane, std::int64_t y, std::int64_t x) {
      return solution[layout_.row_in_space(plane, y) + x];
    };
    std::array<Complex, 1> sum{checksum_share(layout_.grid(), layout_.planes(), value)};
    comm_.reduce(sum);
    return sum[0];
  }

  KernelState state() override {
    return state_of_rows(layout_.grid(), {0, layout_.grid().nz}, layout_.rows(),
                         [this](std::int64_t z) { return spectrum_.data() + layout_.row_in_frequency(z, 0); });
  }

 private:
  [[nodiscard]] bool alone() const { return layout_.tasks() == 1; }

  Comm& comm_;
  Layout layout_;
  FftwTransforms transforms_;
  SlabTransform transform_;
  int threads_;
  Field spectrum_;  ///< V, frequency layout; kept through all iterations
  Field work_;      ///< transformed along z alone, frequency layout
  Field space_;     ///< U and X, space layout; with one task the layouts are equal and it is not needed
};

}  // namespace

std::unique_ptr<Solver> make_fftw_solver(Comm& comm, const Grid& grid, int threads) {
  return std::make_unique<FftwSolver>(comm, grid, threads);
}

}  // namespace nasvm::ft
