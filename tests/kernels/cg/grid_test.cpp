#include <stdexcept>
#include <vector>

#include <catch2/catch.hpp>

#include "kernels/cg/grid.hpp"

using namespace nasvm;
using namespace nasvm::cg;

TEST_CASE("cg: an interval set numbers its elements in ascending order") {
  const IntervalSet set({{2, 4}, {4, 4}, {7, 8}, {10, 13}});
  CHECK(set.size() == 6);
  std::vector<std::int64_t> numbers;
  for (std::int64_t index = 0; index < 14; ++index) numbers.push_back(set.local(index));
  CHECK(numbers == std::vector<std::int64_t>{-1, -1, 0, 1, -1, -1, -1, 2, -1, -1, 3, 4, 5, -1});
  CHECK(set.first(3) == 3);
}

TEST_CASE("cg: an interval set leaves a gap behind each interval when asked") {
  const IntervalSet set({{2, 4}, {4, 4}, {7, 8}}, 2);
  CHECK(set.size() == 3 + 3 * 2);
  CHECK(set.local(3) == 1);
  CHECK(set.first(1) == 4);
  CHECK(set.local(7) == 6);
  CHECK(set.local(4) == -1);
}

TEST_CASE("cg: an empty interval set has no element") {
  CHECK(IntervalSet({}).local(0) == -1);
  CHECK(IntervalSet({{3, 3}}).local(3) == -1);
}

TEST_CASE("cg: the grid is as square as the number of tasks allows") {
  const auto shape = [](int tasks) { return std::pair(Grid(100, tasks).rows(), Grid(100, tasks).cols()); };
  CHECK(shape(1) == std::pair(1, 1));
  CHECK(shape(2) == std::pair(2, 1));
  CHECK(shape(4) == std::pair(2, 2));
  CHECK(shape(6) == std::pair(3, 2));
  CHECK(shape(8) == std::pair(4, 2));
  CHECK(shape(12) == std::pair(4, 3));
  CHECK(shape(16) == std::pair(4, 4));
  CHECK(shape(17) == std::pair(17, 1));
  CHECK(shape(24) == std::pair(6, 4));
  CHECK_THROWS_AS(Grid(100, 0), std::invalid_argument);
}

TEST_CASE("cg: every element of the matrix is in exactly one block") {
  for (const std::int64_t order : {5, 97}) {
    for (int tasks = 1; tasks <= 24; ++tasks) {
      const Grid grid(order, tasks);
      std::vector<int> owners(static_cast<std::size_t>(order * order), 0);
      for (Rank rank = 0; rank < tasks; ++rank) {
        const Range rows = grid.row_block(grid.row_of(rank));
        const IntervalSet columns = grid.column_block(grid.col_of(rank));
        for (std::int64_t row = rows.begin; row < rows.end; ++row) {
          for (std::int64_t column = 0; column < order; ++column) {
            if (columns.local(column) >= 0) ++owners[static_cast<std::size_t>(row * order + column)];
          }
        }
      }
      CHECK(owners == std::vector<int>(owners.size(), 1));
    }
  }
}

TEST_CASE("cg: a task's piece lies in its rows and in its columns") {
  for (int tasks = 1; tasks <= 24; ++tasks) {
    const Grid grid(97, tasks);
    for (Rank rank = 0; rank < tasks; ++rank) {
      const Range piece = grid.piece(rank);
      const Range rows = grid.row_block(grid.row_of(rank));
      const IntervalSet columns = grid.column_block(grid.col_of(rank));
      CHECK(grid.rank_at(grid.row_of(rank), grid.col_of(rank)) == rank);
      CHECK((rows.begin <= piece.begin && piece.end <= rows.end));
      CHECK(columns.local(piece.begin) == columns.first(static_cast<std::size_t>(grid.row_of(rank))));
      CHECK((piece.size() == 97 / tasks || piece.size() == 97 / tasks + 1));
    }
  }
}
