#include <fftw3.h>

#include <algorithm>
#include <cassert>
#include <mutex>

#include "kernels/ft/engine.hpp"
#include "kernels/ft/field.hpp"

namespace nasvm::ft {
namespace {

/// Seconds that FFTW may measure for one plan; there are six.
constexpr double planning_limit_s = 0.08;
/// Smaller grids are transformed in less time than measuring takes.
constexpr std::int64_t smallest_measured_grid = std::int64_t{1} << 19;
/// Two blocks (source and destination) should stay in the second level cache; along y beside the plane that
/// they come from.
constexpr std::int64_t block_bytes = 256 << 10;
constexpr std::int64_t most_columns_y = 16;
constexpr std::int64_t most_columns_z = 32;
/// A cache line between the rows of a block: without it, points of a line would be a power of two apart, and
/// all fall into the same few sets of the cache (three times slower at 32 columns of 256 points).
constexpr std::int64_t padding = 4;

fftw_complex* as_fftw(const Complex* data) {
  // FFTW's interface knows no const; transforms out of place keep their source.
  return reinterpret_cast<fftw_complex*>(const_cast<Complex*>(data));
}

/// FFTW's planner is one for the process and not thread-safe; executing plans is.
std::mutex& planner_mutex() {
  static std::mutex mutex;
  return mutex;
}

/// `count` transforms of `length` points, points `stride` apart, transforms side by side.
struct Shape {
  std::int64_t length = 0;
  std::int64_t count = 1;
  std::int64_t stride = 1;
};

class Plan {
 public:
  Plan(const Shape& shape, Direction direction, unsigned rigour) {
    const int length = static_cast<int>(shape.length);
    const int stride = static_cast<int>(shape.stride);
    const int sign = direction == Direction::forward ? FFTW_FORWARD : FFTW_BACKWARD;
    const Field from(shape.length * shape.stride);
    const Field to(shape.length * shape.stride);
    const std::lock_guard lock(planner_mutex());
    fftw_set_timelimit(planning_limit_s);
    plan_ = fftw_plan_many_dft(1, &length, static_cast<int>(shape.count), as_fftw(from.data()), nullptr, stride, 1,
                               as_fftw(to.data()), nullptr, stride, 1, sign, rigour);
    assert(plan_ != nullptr);
  }
  ~Plan() {
    const std::lock_guard lock(planner_mutex());
    fftw_destroy_plan(plan_);
  }
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;

  void execute(const Complex* from, Complex* to) const { fftw_execute_dft(plan_, as_fftw(from), as_fftw(to)); }

 private:
  fftw_plan plan_ = nullptr;
};

class PlanPair {
 public:
  PlanPair(const Shape& shape, unsigned rigour)
      : forward_(shape, Direction::forward, rigour), inverse_(shape, Direction::inverse, rigour) {}
  [[nodiscard]] const Plan& operator[](Direction direction) const {
    return direction == Direction::forward ? forward_ : inverse_;
  }

 private:
  Plan forward_;
  Plan inverse_;
};

/// The widest block that is within the limits and divides nx.
ColumnBlock choose_columns(std::int64_t nx, std::int64_t length, std::int64_t most) {
  const std::int64_t fitting = block_bytes / (length * static_cast<std::int64_t>(sizeof(Complex)));
  std::int64_t width = std::min(nx, std::clamp<std::int64_t>(fitting, 1, most));
  while (nx % width != 0) --width;
  return {width, width + padding};
}

Shape shape_of(const ColumnBlock& block, std::int64_t length) { return {length, block.width, block.pitch}; }

class FftwEngine final : public Engine {
 public:
  FftwEngine(const Grid& grid, unsigned rigour)
      : block_y_(choose_columns(grid.nx, grid.ny, most_columns_y)),
        block_z_(choose_columns(grid.nx, grid.nz, most_columns_z)),
        along_x_({grid.nx}, rigour),
        along_y_(shape_of(block_y_, grid.ny), rigour),
        along_z_(shape_of(block_z_, grid.nz), rigour) {}

  void transform_row(Direction direction, const Complex* from, Complex* to) const override {
    along_x_[direction].execute(from, to);
  }
  void transform_columns(Axis axis, Direction direction, const Complex* from, Complex* to) const override {
    (axis == Axis::y ? along_y_ : along_z_)[direction].execute(from, to);
  }
  [[nodiscard]] ColumnBlock columns(Axis axis) const override { return axis == Axis::y ? block_y_ : block_z_; }

 private:
  ColumnBlock block_y_;
  ColumnBlock block_z_;
  PlanPair along_x_;
  PlanPair along_y_;
  PlanPair along_z_;
};

}  // namespace

std::unique_ptr<Engine> make_fftw_engine(const Grid& grid) {
  const bool measure = grid.points() >= smallest_measured_grid;
  return std::make_unique<FftwEngine>(grid, measure ? FFTW_MEASURE : FFTW_ESTIMATE);
}

}  // namespace nasvm::ft
