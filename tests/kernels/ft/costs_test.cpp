#include "kernels/ft/costs.hpp"

#include <catch2/catch.hpp>

#include "kernels/ft/fftw/layout.hpp"

using namespace nasvm;
using namespace nasvm::ft;

TEST_CASE("ft cost: a transpose moves n1 n2 n3 16 (P - 1) / P bytes where P divides evenly") {
  for (const char name : {'S', 'A', 'B', 'C'}) {
    const Grid& grid = parameters(name).grid;
    for (const int tasks : {1, 2, 4, 8, 16, 32}) {
      const auto bytes = static_cast<std::uint64_t>(grid.points() * 16 / tasks * (tasks - 1));
      CHECK(transpose_cost(grid, tasks).bytes == bytes);
      CHECK(transpose_cost(grid, tasks).messages == static_cast<std::uint64_t>(tasks * (tasks - 1)));
    }
  }
}

TEST_CASE("ft cost: a transpose costs what the layout's blocks cost, for every number of tasks") {
  for (const Grid grid : {Grid{64, 64, 64}, Grid{128, 128, 32}, Grid{16, 8, 24}}) {
    for (int tasks = 1; tasks <= 40; ++tasks) {
      collective::Cost cost;
      for (int rank = 0; rank < tasks; ++rank) {
        std::vector<std::size_t> bytes = Layout(grid, tasks, rank).space_blocks();
        for (std::size_t& block : bytes) block *= sizeof(Complex);
        cost = cost + collective::alltoallv_cost(bytes, rank);
      }
      CHECK(transpose_cost(grid, tasks) == cost);
    }
  }
}

TEST_CASE("ft cost: the paper's class A on 8 tasks moves half of what two transposes would") {
  // Section 4.5: 224 MByte (2^20 bytes) for one 3-D transform of two transposes.
  CHECK(2 * transpose_cost({256, 256, 128}, 8).bytes == std::uint64_t{224} << 20);
}

TEST_CASE("ft cost: operations of class A are those of NASA's formula") {
  CHECK(mega_operations(parameters('A')) == Approx(7136.3).epsilon(1e-4));
}

TEST_CASE("ft cost: memory is three fields, of the fused engine two and buffers, two for a single task") {
  const double field = 512.0 * 512 * 512 * 16;
  const auto bytes = [](EngineKind engine, int tasks) {
    return static_cast<double>(memory_bytes(parameters('C'), engine, tasks, 1));
  };
  CHECK(bytes(EngineKind::fftw, 1) == Approx(2 * field).epsilon(0.01));
  CHECK(bytes(EngineKind::fftw, 8) == Approx(3 * field).epsilon(0.01));
  CHECK(bytes(EngineKind::paper, 1) == Approx(2 * field).epsilon(0.01));
  CHECK(bytes(EngineKind::paper, 8) == Approx(3 * field).epsilon(0.01));
  CHECK(bytes(EngineKind::fused, 1) == Approx(2 * field).epsilon(0.01));
  // An item of half a plane is 2 MiB, more than a message has: two buffers of one such item for each task.
  CHECK(bytes(EngineKind::fused, 2) == Approx(2 * field).epsilon(0.02));
  // Messages of 4 MiB, for each task seven from each of two buffers.
  CHECK(bytes(EngineKind::fused, 8) == Approx(2 * field + 8 * 2 * 7 * 4194304.0).epsilon(0.02));
  // However long chunks are, buffers hold no more than what a task sends.
  const double small = 256.0 * 256 * 128 * 16;
  for (const int threads : {1, 8}) {
    const double scratch = 6.0 * threads * (256 * 256 * 16 + 400000);
    CHECK(static_cast<double>(memory_bytes(parameters('A'), EngineKind::fused, 6, threads)) <
          (2 + 5 / 6.0) * small * 1.02 + scratch + 6 * (2 << 20));
  }
}
