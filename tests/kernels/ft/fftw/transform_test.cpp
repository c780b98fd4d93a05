#include <catch2/catch.hpp>
#include <cmath>
#include <functional>
#include <mutex>
#include <numbers>
#include <vector>

#include "kernels/common/random.hpp"
#include "kernels/ft/fftw/slab_transform.hpp"
#include "kernels/ft/fftw/transpose.hpp"
#include "support/thread_machine.hpp"
#include "support/worse.hpp"

using namespace nasvm;
using namespace nasvm::ft;

namespace {

using Array = std::vector<Complex>;

Array random_array(const Grid& grid) {
  NpbRandom random(123456789);
  Array array(static_cast<std::size_t>(grid.points()));
  for (Complex& value : array) value = {random.next() - 0.5, random.next() - 0.5};
  return array;
}

/// sum over all points of a[x, y, z] e^{-2 pi i (x kx / nx + y ky / ny + z kz / nz)}, for one (kx, ky, kz).
Complex naive_frequency(const Grid& grid, const Array& a, std::int64_t kx, std::int64_t ky, std::int64_t kz) {
  Complex sum = 0;
  std::size_t i = 0;
  for (std::int64_t z = 0; z < grid.nz; ++z) {
    for (std::int64_t y = 0; y < grid.ny; ++y) {
      for (std::int64_t x = 0; x < grid.nx; ++x, ++i) {
        const double turns = static_cast<double>(x * kx % grid.nx) / static_cast<double>(grid.nx) +
                             static_cast<double>(y * ky % grid.ny) / static_cast<double>(grid.ny) +
                             static_cast<double>(z * kz % grid.nz) / static_cast<double>(grid.nz);
        sum += a[i] * std::polar(1.0, -2 * std::numbers::pi * turns);
      }
    }
  }
  return sum;
}

Array naive_transform(const Grid& grid, const Array& a) {
  Array result;
  for (std::int64_t kz = 0; kz < grid.nz; ++kz) {
    for (std::int64_t ky = 0; ky < grid.ny; ++ky) {
      for (std::int64_t kx = 0; kx < grid.nx; ++kx) result.push_back(naive_frequency(grid, a, kx, ky, kz));
    }
  }
  return result;
}

/// One task's view of a distributed transform.
struct Task {
  Task(Comm& world, const Grid& grid, int threads)
      : comm(world),
        layout(grid, world.size(), world.rank()),
        transforms(grid),
        transform(layout, transforms, threads),
        space(layout.space_points()),
        frequency(layout.frequency_points()) {}

  /// Calls body(place in the field, place in the whole array) for each of this task's rows.
  void for_rows_in_space(const std::function<void(Complex*, std::int64_t)>& body) {
    const Grid& grid = layout.grid();
    for (std::int64_t plane = 0; plane < layout.planes().size(); ++plane) {
      for (std::int64_t y = 0; y < grid.ny; ++y) {
        body(space.data() + layout.row_in_space(plane, y), ((layout.planes().begin + plane) * grid.ny + y) * grid.nx);
      }
    }
  }
  void for_rows_in_frequency(const std::function<void(Complex*, std::int64_t)>& body) {
    const Grid& grid = layout.grid();
    for (std::int64_t z = 0; z < grid.nz; ++z) {
      for (std::int64_t row = 0; row < layout.rows().size(); ++row) {
        body(frequency.data() + layout.row_in_frequency(z, row), (z * grid.ny + layout.rows().begin + row) * grid.nx);
      }
    }
  }
  void load(const Array& whole) {
    for_rows_in_space([&](Complex* row, std::int64_t at) { std::copy_n(whole.begin() + at, layout.grid().nx, row); });
  }
  void forward() {
    transform.transform_planes(Direction::forward, space.data());
    to_frequency(comm, layout, space, frequency);
    transform.transform_pencils(Direction::forward, frequency.data());
  }
  void inverse() {
    transform.transform_pencils(Direction::inverse, frequency.data());
    to_space(comm, layout, frequency, space);
    transform.transform_planes(Direction::inverse, space.data());
  }

  Comm& comm;
  Layout layout;
  FftwTransforms transforms;
  SlabTransform transform;
  Field space;
  Field frequency;
};

double worst_difference(const Array& a, const Array& b) {
  REQUIRE(a.size() == b.size());
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) worst = test::worse(worst, std::abs(a[i] - b[i]));
  return worst;
}

/// What all tasks together make of `input`: its transform, or (with `back`) the inverse of its transform.
Array distributed(int tasks, int threads, const Grid& grid, const Array& input, bool back) {
  Array output(input.size());  // every task writes its own rows
  test::run_ranks(tasks, [&](Comm& comm) {
    Task task(comm, grid, threads);
    task.load(input);
    task.forward();
    if (back) task.inverse();
    const auto store = [&](Complex* row, std::int64_t at) { std::copy_n(row, grid.nx, output.begin() + at); };
    if (back) task.for_rows_in_space(store);
    else task.for_rows_in_frequency(store);
  });
  return output;
}

}  // namespace

TEST_CASE("ft transform: equals the definition of the discrete Fourier transform") {
  for (const Grid grid : {Grid{8, 4, 4}, Grid{6, 5, 7}, Grid{4, 9, 2}}) {
    const Array input = random_array(grid);
    const Array expected = naive_transform(grid, input);
    for (const int tasks : {1, 2, 3, 4, 5, 8, 11}) {
      CHECK(worst_difference(distributed(tasks, 1, grid, input, false), expected) < 1e-12);
    }
  }
}

TEST_CASE("ft transform: the inverse undoes the forward transform") {
  const Grid grid{32, 16, 24};
  const Array input = random_array(grid);
  for (const int tasks : {1, 2, 3, 7, 16, 30}) {
    Array output = distributed(tasks, 1, grid, input, true);
    for (Complex& value : output) value /= static_cast<double>(grid.points());
    CHECK(worst_difference(output, input) < 1e-14);
  }
}

TEST_CASE("ft transform: threads inside the tasks change nothing") {
  const Grid grid{32, 16, 24};
  const Array input = random_array(grid);
  const Array expected = distributed(1, 1, grid, input, false);
  CHECK(distributed(1, 3, grid, input, false) == expected);
  CHECK(distributed(3, 2, grid, input, false) == expected);
}

TEST_CASE("ft transform: evolved pencils leave the spectrum as it was") {
  const Grid grid{8, 6, 10};
  const Array input = random_array(grid);
  const Evolution evolution(grid, 5);
  test::run_ranks(1, [&](Comm& comm) {
    Task task(comm, grid, 1);
    task.load(input);
    task.forward();
    const Array spectrum(task.frequency.begin(), task.frequency.end());
    Field evolved(grid.points());
    task.transform.transform_evolved_pencils(Direction::inverse, evolution, task.frequency.data(), evolved.data());
    CHECK(Array(task.frequency.begin(), task.frequency.end()) == spectrum);

    // The same in two steps: multiply every point by its factor, then transform in place.
    std::size_t i = 0;
    for (std::int64_t z = 0; z < grid.nz; ++z) {
      for (std::int64_t y = 0; y < grid.ny; ++y) {
        for (std::int64_t x = 0; x < grid.nx; ++x, ++i) {
          task.frequency.data()[i] *= evolution.x_twice[static_cast<std::size_t>(2 * x)] *
                                      evolution.y[static_cast<std::size_t>(y)] *
                                      evolution.z[static_cast<std::size_t>(z)];
        }
      }
    }
    task.transform.transform_pencils(Direction::inverse, task.frequency.data());
    CHECK(worst_difference(Array(task.frequency.begin(), task.frequency.end()),
                           Array(evolved.begin(), evolved.end())) < 1e-12);
  });
}
