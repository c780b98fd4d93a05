// The fused engine's planes and pencils against the definition of the transform, and its whole solution against
// FFTW's.
#include <catch2/catch.hpp>
#include <numeric>

#include "kernels/common/random.hpp"
#include "kernels/ft/field.hpp"
#include "kernels/ft/fused/initial_strips.hpp"
#include "kernels/ft/fused/pencils.hpp"
#include "kernels/ft/fused/planes.hpp"
#include "kernels/ft/reference_dft.hpp"
#include "kernels/ft/solver.hpp"
#include "support/thread_machine.hpp"
#include "support/worse.hpp"

using namespace nasvm;
using namespace nasvm::ft;
using nasvm::ft::test::reference_dft;

namespace {

using Line = std::vector<Complex>;
using Plane = std::vector<Line>;  ///< [y][x], or [z][x]

double* doubles(Field& field) { return reinterpret_cast<double*>(field.data()); }

Plane plane_of_field(const Grid& grid, std::int64_t z) {
  NpbRandom random(seed);
  random.skip(static_cast<std::uint64_t>(2 * z * grid.nx * grid.ny));
  Plane plane(static_cast<std::size_t>(grid.ny));
  for (Line& row : plane) {
    for (std::int64_t x = 0; x < grid.nx; ++x) {
      const double re = random.next();
      row.emplace_back(re, random.next());
    }
  }
  return plane;
}

/// Transforms the columns [:][x].
void transform_columns(Plane& plane, int sign) {
  for (std::size_t x = 0; x < plane.front().size(); ++x) {
    Line column;
    for (const Line& row : plane) column.push_back(row[x]);
    column = reference_dft(column, sign);
    for (std::size_t y = 0; y < plane.size(); ++y) plane[y][x] = column[y];
  }
}

Plane transform_both(Plane plane, int sign) {
  for (Line& row : plane) row = reference_dft(row, sign);
  transform_columns(plane, sign);
  return plane;
}

/// Rows of blocks in memory of their own, padded apart.
class Rows {
 public:
  Rows(std::int64_t count, std::int64_t nx)
      : count_(count), pitch_(2 * nx + 3 * block_doubles), memory_((count + 1) * pitch_ / 2) {
    std::fill(memory_.begin(), memory_.end(), Complex(0));
  }
  double* row(std::int64_t i) { return doubles(memory_) + i * pitch_; }
  std::vector<RowTarget> targets() {
    std::vector<RowTarget> all;
    for (std::int64_t i = 0; i < count_; ++i) all.push_back({row(i), i % 3 == 0});
    return all;
  }
  std::vector<double*> sources() {
    std::vector<double*> all;
    for (std::int64_t i = 0; i < count_; ++i) all.push_back(row(i));
    return all;
  }
  Complex value(std::int64_t i, std::int64_t x) {
    const double* const re = row(i) + x / block_lines * block_doubles + x % block_lines;
    return {re[0], re[block_lines]};
  }
  void load(const Plane& plane) {
    for (std::size_t i = 0; i < plane.size(); ++i) {
      for (std::size_t x = 0; x < plane[i].size(); ++x) {
        double* const re = row(static_cast<std::int64_t>(i)) + x / block_lines * block_doubles + x % block_lines;
        re[0] = plane[i][x].real();
        re[block_lines] = plane[i][x].imag();
      }
    }
  }
  double worst_difference(const Plane& expected) {
    double worst = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      for (std::size_t x = 0; x < expected[i].size(); ++x) {
        const Complex here = value(static_cast<std::int64_t>(i), static_cast<std::int64_t>(x));
        worst = nasvm::test::worse(worst, std::abs(here - expected[i][x]));
      }
    }
    return worst;
  }

 private:
  std::int64_t count_;
  std::int64_t pitch_;
  Field memory_;
};

Field scratch_of(std::int64_t needed) { return Field((needed + 1) / 2); }

}  // namespace

TEST_CASE("ft fused: strips of the initial field hold the plain sequence") {
  const Grid grid{32, 64, 5};
  Field strip(grid.nx * block_lines);
  const Plane plane = plane_of_field(grid, 3);
  for (std::int64_t j = 0; j < grid.ny / block_lines; ++j) {
    fill_strip(grid, 3, j, doubles(strip));
    for (std::int64_t x = 0; x < grid.nx; ++x) {
      for (std::int64_t q = 0; q < block_lines; ++q) {
        const double* const re = doubles(strip) + x * block_doubles + q;
        REQUIRE(Complex(re[0], re[block_lines]) ==
                plane[static_cast<std::size_t>(j + q * grid.ny / block_lines)][static_cast<std::size_t>(x)]);
      }
    }
  }
}

TEST_CASE("ft fused: a plane's forward transform equals the definition") {
  for (const Grid grid : {Grid{32, 64, 32}, Grid{128, 64, 32}, Grid{64, 128, 32}}) {
    const PlaneTransform transform(grid);
    Field scratch = scratch_of(transform.scratch_doubles());
    Rows rows(grid.ny, grid.nx);
    transform.forward(7, rows.targets(), doubles(scratch));
    // The zero frequency is nx ny / 2 and as exact as a double can be.
    CHECK(rows.worst_difference(transform_both(plane_of_field(grid, 7), -1)) < 3e-12);
  }
}

TEST_CASE("ft fused: a plane's inverse transform in place equals the definition, at any offset in the rows") {
  for (const Grid grid : {Grid{32, 64, 32}, Grid{64, 128, 32}}) {
    const PlaneTransform transform(grid);
    Field scratch = scratch_of(transform.scratch_doubles());
    const Plane input = plane_of_field(grid, 1);
    Rows rows(grid.ny, grid.nx);
    rows.load(input);
    std::vector<double*> before = rows.sources();
    for (double*& row : before) row -= 2 * block_doubles;
    transform.inverse(before.data(), 2 * block_doubles, doubles(scratch));
    const Plane expected = transform_both(input, +1);
    double worst = 0;
    for (std::int64_t y = 0; y < grid.ny; ++y) {
      for (std::int64_t x = 0; x < grid.nx; ++x) {
        const PlaneTransform::Place place = transform.place(x, y);
        const double* const re = rows.row(place.row) + place.in_row;
        const Complex here(re[0], re[block_lines]);
        worst = nasvm::test::worse(
            worst, std::abs(here - expected[static_cast<std::size_t>(y)][static_cast<std::size_t>(x)]));
      }
    }
    CHECK(worst < 3e-12);
  }
}

TEST_CASE("ft fused: pencils forth and back equal the definition and the evolution between") {
  for (const std::int64_t nz : {32, 64, 256}) {
    const Grid grid{32, 64, nz};
    const PencilTransform transform(grid);
    Field scratch = scratch_of(transform.scratch_doubles());
    const Plane input = plane_of_field({grid.nx, grid.nz, 1}, 0);  // [z][x]
    Rows rows(grid.nz, grid.nx);
    rows.load(input);
    Field spectrum(grid.nx * grid.nz);
    transform.forward(rows.sources().data(), 0, doubles(spectrum), doubles(scratch));

    Plane expected = input;
    transform_columns(expected, -1);
    const Evolution evolution(grid, 4);
    const std::size_t y = 37;
    for (std::size_t z = 0; z < expected.size(); ++z) {
      for (std::size_t x = 0; x < expected[z].size(); ++x) {
        const std::int64_t pencil = x / block_lines * static_cast<std::int64_t>(expected.size());
        const double* const re = doubles(spectrum) + (pencil + z) * block_doubles + x % block_lines;
        REQUIRE(std::abs(Complex(re[0], re[block_lines]) - expected[z][x]) < 1e-13 * static_cast<double>(nz));
        expected[z][x] *= evolution.x[x] * evolution.y[y] * evolution.z[z];
      }
    }
    transform_columns(expected, +1);
    Rows back(grid.nz, grid.nx);
    transform.inverse(doubles(spectrum), evolution, static_cast<std::int64_t>(y), back.targets(), doubles(scratch));
    CHECK(back.worst_difference(expected) < 1e-13 * static_cast<double>(nz));
  }
}

namespace {

std::vector<Complex> checksums(EngineKind kind, const Grid& grid, int tasks, int threads) {
  std::vector<Complex> sums;
  nasvm::test::run_ranks(tasks, [&](Comm& comm) {
    const std::unique_ptr<Solver> solver = make_solver(kind, comm, grid, threads);
    solver->start();
    for (int t = 1; t <= 3; ++t) {
      const Complex sum = solver->checksum_at(t);
      if (comm.rank() == 0) sums.push_back(sum);
    }
  });
  return sums;
}

}  // namespace

TEST_CASE("ft fused: the solution is FFTW's, on any number of tasks and threads") {
  for (const Grid grid : {Grid{32, 64, 32}, Grid{64, 64, 32}, Grid{32, 128, 64}}) {
    const std::vector<Complex> expected = checksums(EngineKind::fftw, grid, 1, 1);
    for (const auto& [tasks, threads] : {std::pair{1, 1}, {1, 3}, {2, 1}, {2, 2}, {3, 1}, {5, 2}, {17, 1}, {40, 1}}) {
      const std::vector<Complex> sums = checksums(EngineKind::fused, grid, tasks, threads);
      REQUIRE(sums.size() == expected.size());
      for (std::size_t t = 0; t < sums.size(); ++t) CHECK(std::abs(sums[t] / expected[t] - 1.0) < 2e-13);
    }
  }
}

TEST_CASE("ft fused: takes powers of two and says so of others") {
  CHECK(fused_takes({32, 64, 32}));
  CHECK_FALSE(fused_takes({16, 64, 32}));
  CHECK_FALSE(fused_takes({32, 96, 32}));
  nasvm::test::run_ranks(1, [](Comm& comm) {
    CHECK_THROWS_AS(make_fused_solver(comm, {32, 32, 32}, 1), std::invalid_argument);
  });
}
