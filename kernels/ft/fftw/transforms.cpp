#include "kernels/ft/fftw/transforms.hpp"

#include <algorithm>
#include <cassert>
#include <mutex>

#include "kernels/common/caches.hpp"
#include "kernels/ft/field.hpp"

namespace nasvm::ft {
namespace {

/// Seconds that FFTW may measure for one plan; there are six.
constexpr double planning_limit_s = 0.08;
/// Smaller grids are transformed in less time than measuring takes.
constexpr std::int64_t smallest_measured_grid = std::int64_t{1} << 19;
/// Two blocks (source and destination) should stay in the core's own cache; along y beside the plane that they come
/// from.
std::int64_t block_bytes() { return static_cast<std::int64_t>(own_bytes(caches_here()) / 4); }
constexpr std::int64_t most_columns_y = 16;
constexpr std::int64_t most_columns_z = 32;
/// A cache line between the rows of a block: without it, points of a line would be a power of two apart, and
/// all fall into the same few sets of the cache (three times slower at 32 columns of 256 points).
constexpr std::int64_t padding = 4;

fftw_complex* as_fftw(const Complex* data) {
  // FFTW's interface has no const; transforms out of place keep their source.
  return reinterpret_cast<fftw_complex*>(const_cast<Complex*>(data));
}

/// FFTW's planner is one for the process and not thread-safe; executing plans is.
std::mutex& planner_mutex() {
  static std::mutex mutex;
  return mutex;
}

/// The widest block that is within the limits and divides nx.
ColumnBlock choose_columns(std::int64_t nx, std::int64_t length, std::int64_t most) {
  const std::int64_t fitting = block_bytes() / (length * static_cast<std::int64_t>(sizeof(Complex)));
  std::int64_t width = std::min(nx, std::clamp<std::int64_t>(fitting, 1, most));
  while (nx % width != 0) --width;
  return {width, width + padding};
}

Shape shape_of(const ColumnBlock& block, std::int64_t length) { return {length, block.width, block.pitch}; }

unsigned rigour_for(const Grid& grid) {
  return grid.points() >= smallest_measured_grid ? FFTW_MEASURE : FFTW_ESTIMATE;
}

}  // namespace

PlanPair::Plan PlanPair::make(const Shape& shape, Direction direction, unsigned rigour) {
  const int length = static_cast<int>(shape.length);
  const int stride = static_cast<int>(shape.stride);
  const int sign = direction == Direction::forward ? FFTW_FORWARD : FFTW_BACKWARD;
  const Field from(static_cast<std::size_t>(shape.length * shape.stride));
  const Field to(from.size());
  const std::lock_guard lock(planner_mutex());
  fftw_set_timelimit(planning_limit_s);
  Plan plan(fftw_plan_many_dft(1, &length, static_cast<int>(shape.count), as_fftw(from.data()), nullptr, stride, 1,
                               as_fftw(to.data()), nullptr, stride, 1, sign, rigour));
  assert(plan != nullptr);
  return plan;
}

void PlanPair::Destroy::operator()(fftw_plan plan) const {
  const std::lock_guard lock(planner_mutex());
  fftw_destroy_plan(plan);
}

PlanPair::PlanPair(const Shape& shape, unsigned rigour)
    : forward_(make(shape, Direction::forward, rigour)), inverse_(make(shape, Direction::inverse, rigour)) {}

void PlanPair::execute(Direction direction, const Complex* from, Complex* to) const {
  const Plan& plan = direction == Direction::forward ? forward_ : inverse_;
  fftw_execute_dft(plan.get(), as_fftw(from), as_fftw(to));
}

FftwTransforms::FftwTransforms(const Grid& grid) : FftwTransforms(grid, rigour_for(grid)) {}

FftwTransforms::FftwTransforms(const Grid& grid, unsigned rigour)
    : block_y_(choose_columns(grid.nx, grid.ny, most_columns_y)),
      block_z_(choose_columns(grid.nx, grid.nz, most_columns_z)),
      along_x_({grid.nx}, rigour),
      along_y_(shape_of(block_y_, grid.ny), rigour),
      along_z_(shape_of(block_z_, grid.nz), rigour) {}

}  // namespace nasvm::ft
