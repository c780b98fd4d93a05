#include <catch2/catch.hpp>

#include "mpi_api.hpp"
#include "vm/abi/mpi/topology.hpp"

using namespace nasvm::mpi;

namespace {

std::vector<int> dims_for(int nodes, std::vector<int> dims) {
  api::dims_create(nodes, static_cast<int>(dims.size()), dims.data());
  return dims;
}

Topology grid(std::vector<int> dims, std::vector<int> periods) {
  Topology topology;
  topology.dims = std::move(dims);
  topology.periods = std::move(periods);
  return topology;
}

}  // namespace

TEST_CASE("dimensions are as close to each other as can be, the greatest first", "[mpi]") {
  CHECK(dims_for(12, {0, 0}) == std::vector{4, 3});
  CHECK(dims_for(16, {0, 0, 0}) == std::vector{4, 2, 2});
  CHECK(dims_for(36, {0, 0}) == std::vector{6, 6});
  CHECK(dims_for(7, {0, 0}) == std::vector{7, 1});
  CHECK(dims_for(1, {0, 0}) == std::vector{1, 1});
  CHECK(dims_for(24, {0, 3, 0}) == std::vector{4, 3, 2});
  CHECK(dims_for(24624, {0, 0, 0}) == std::vector{38, 27, 24});  // not 36 x 36 x 19
  CHECK(dims_for(5040, {0, 0, 0}) == std::vector{21, 16, 15});   // not 20 x 18 x 14, as far apart
  CHECK(dims_for(98784, {0, 0, 0, 0, 0}) == std::vector{14, 14, 9, 8, 7});
  CHECK(dims_for(2147483647, {0, 0}) == std::vector{2147483647, 1});
}

TEST_CASE("dimensions that cannot be are errors", "[mpi]") {
  CHECK_THROWS_AS(dims_for(7, {2, 0}), Failure);
  CHECK_THROWS_AS(dims_for(6, {2, 2}), Failure);
  CHECK_THROWS_AS(dims_for(6, {-1, 0}), Failure);
  CHECK_THROWS_AS(dims_for(0, {0}), Failure);
  // Products that an int does not hold, nor a larger one.
  CHECK_THROWS_AS(dims_for(6, {65536, 65536, 0}), Failure);
  CHECK_THROWS_AS(dims_for(6, {65536, 65537, 0}), Failure);
  CHECK_THROWS_AS(dims_for(6, {2147483647, 2147483647, 2147483647, 2147483647}), Failure);
}

TEST_CASE("a task has coordinates in a grid, and a place has a task", "[mpi]") {
  const Topology box = grid({2, 3, 4}, {0, 0, 0});
  for (int rank = 0; rank < 24; ++rank) CHECK(rank_at(box, coordinates_of(box, rank)) == rank);
  CHECK(coordinates_of(box, 23) == std::vector{1, 2, 3});
  CHECK(coordinates_of(box, 5) == std::vector{0, 1, 1});
}

TEST_CASE("a grid ends, or goes round", "[mpi]") {
  const Topology half_open = grid({3, 4}, {1, 0});
  CHECK(rank_at(half_open, {-1, 1}) == 9);
  CHECK(rank_at(half_open, {3, 1}) == 1);
  CHECK(rank_at(half_open, {1, -1}) == proc_null);
  CHECK(rank_at(half_open, {1, 4}) == proc_null);
}
