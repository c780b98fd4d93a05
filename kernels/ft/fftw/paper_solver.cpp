// The paper's decomposition: planes are where the field lives, pencils only where it is transformed along z.
// Source: White, Alund, Sunderam, "Performance of the NAS Parallel Benchmarks on PVM-Based Networks", section 4.5.

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

class PaperSolver final : public Solver {
 public:
  PaperSolver(Comm& comm, const Grid& grid, int threads)
      : comm_(comm),
        layout_(grid, comm.size(), comm.rank()),
        transforms_(grid),
        transform_(layout_, transforms_, threads),
        threads_(threads),
        spectrum_(layout_.space_points()),
        solution_(layout_.space_points()),
        pencils_(alone() ? 0 : layout_.frequency_points()) {}

  void start() override {
    const std::int64_t planes = layout_.planes().size();
#pragma omp parallel for schedule(static) num_threads(threads_)
    for (std::int64_t plane = 0; plane < planes; ++plane) {
      fill_plane(layout_, plane, spectrum_.data());
      transform_.transform_plane(Direction::forward, plane, spectrum_.data());
    }
    transform_along_z(Direction::forward, spectrum_);
  }

  Complex checksum_at(int t) override {
    const Evolution evolution(layout_.grid(), t);
    transform_.transform_evolved_planes(Direction::inverse, evolution, spectrum_.data(), solution_.data());
    transform_along_z(Direction::inverse, solution_);
    const auto value = [&](std::int64_t plane, std::int64_t y, std::int64_t x) {
      return solution_.data()[layout_.row_in_space(plane, y) + x];
    };
    std::array<Complex, 1> sum{checksum_share(layout_.grid(), layout_.planes(), value)};
    comm_.reduce(sum);
    return sum[0];
  }

  /// Rows of one plane lie apart from each other, as they go to different tasks.
  KernelState state() override {
    KernelState all =
        state_of_rows(layout_.grid(), {}, {}, [](std::int64_t) { return static_cast<Complex*>(nullptr); });
    for (std::int64_t y = 0; y < layout_.grid().ny; ++y) {
      const KernelState rows = state_of_rows(layout_.grid(), layout_.planes(), {y, y + 1}, [&](std::int64_t z) {
        return spectrum_.data() + layout_.row_in_space(z - layout_.planes().begin, y);
      });
      all.pieces.insert(all.pieces.end(), rows.pieces.begin(), rows.pieces.end());
    }
    return all;
  }

 private:
  [[nodiscard]] bool alone() const { return layout_.tasks() == 1; }

  /// z transforms of a field in planes: to pencils, and back.
  void transform_along_z(Direction direction, Field& field) {
    if (alone()) return transform_.transform_pencils(direction, field.data());
    to_frequency(comm_, layout_, field, pencils_);
    transform_.transform_pencils(direction, pencils_.data());
    to_space(comm_, layout_, pencils_, field);
  }

  Comm& comm_;
  Layout layout_;
  FftwTransforms transforms_;
  SlabTransform transform_;
  int threads_;
  Field spectrum_;  ///< V, space layout; kept through all iterations
  Field solution_;  ///< X, space layout
  Field pencils_;   ///< frequency layout, between two transposes; with one task the layouts are equal
};

}  // namespace

std::unique_ptr<Solver> make_paper_solver(Comm& comm, const Grid& grid, int threads) {
  return std::make_unique<PaperSolver>(comm, grid, threads);
}

}  // namespace nasvm::ft
