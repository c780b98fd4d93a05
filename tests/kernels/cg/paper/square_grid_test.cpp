#include "kernels/cg/paper/square_grid.hpp"

#include <stdexcept>

#include <catch2/catch.hpp>

using namespace nasvm;
using namespace nasvm::cg;

TEST_CASE("cg: the square of tasks is the largest that fits") {
  const int tasks = GENERATE(range(1, 40));
  CAPTURE(tasks);
  const SquareGrid square(1400, tasks);
  CHECK(square.tasks() == square.side() * square.side());
  CHECK(square.tasks() <= tasks);
  CHECK((square.side() + 1) * (square.side() + 1) > tasks);
  CHECK(square.contains(square.tasks() - 1));
  CHECK_FALSE(square.contains(square.tasks()));
}

TEST_CASE("cg: nine tasks stand as in the paper's figures") {
  const SquareGrid square(14000, 9);
  // "processor 2 needs the portion stored by any of the processors on the first row", 6 that of the third
  CHECK(square.row_of(2) == 2);
  CHECK(square.row_of(square.mirror_of(2)) == 0);
  CHECK(square.mirror_of(2) == 6);
  CHECK(square.row_of(square.mirror_of(6)) == 2);
}

TEST_CASE("cg: a task's mirror has the piece that its block is multiplied with") {
  const SquareGrid square(211, GENERATE(1, 4, 9, 16));
  for (Rank rank = 0; rank < square.tasks(); ++rank) {
    CHECK(square.rank_at(square.row_of(rank), square.col_of(rank)) == rank);
    CHECK(square.mirror_of(square.mirror_of(rank)) == rank);
    CHECK(square.row_of(square.mirror_of(rank)) == square.col_of(rank));
  }
}

TEST_CASE("cg: the pieces of a square's rows are the whole vector") {
  const SquareGrid square(211, 16);
  std::int64_t next = 0;
  for (int row = 0; row < square.side(); ++row) {
    CHECK(square.piece(row).begin == next);
    next = square.piece(row).end;
  }
  CHECK(next == 211);
}

TEST_CASE("cg: there is no square of no tasks") { CHECK_THROWS_AS(SquareGrid(10, 0), std::invalid_argument); }
