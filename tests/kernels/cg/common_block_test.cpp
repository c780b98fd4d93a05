#include <algorithm>
#include <vector>

#include <catch2/catch.hpp>

#include "kernels/cg/common_block.hpp"
#include "kernels/cg/grid.hpp"

using namespace nasvm;
using namespace nasvm::cg;

TEST_CASE("cg: two tasks keep every element of their common block once, and half of each row") {
  for (const std::int64_t order : {2, 3, 10, 11, 37}) {
    INFO("order " << order);
    const Grid grid(order, 2);
    const IntervalSet columns = grid.column_block(0, 2);
    std::vector<int> kept(static_cast<std::size_t>(order * order));
    for (const Rank rank : {0, 1}) {
      const Range piece = grid.piece(rank);
      const Range others = grid.piece(1 - rank);
      // As a whole, and by three threads.
      for (int slab = 0; slab < 3; ++slab) {
        const Range rows = share(piece, 3, slab);
        const CommonBlock common = common_block(rows, piece, columns);
        REQUIRE(common.is_halved());
        CHECK(common.columns.size() == others.size());
        CHECK(common.columns.begin == columns.local(others.begin));
        if (rows.size() > 0) CHECK(common.first_own == columns.local(rows.begin));
        for (std::int64_t row = rows.begin; row < rows.end; ++row) {
          std::int64_t of_row = 0;
          for (std::int64_t other = others.begin; other < others.end; ++other) {
            if (!common.keeps(row - rows.begin, columns.local(other))) continue;
            ++of_row;
            ++kept[static_cast<std::size_t>(std::min(row, other) * order + std::max(row, other))];
          }
          CHECK(std::abs(2 * of_row - others.size()) <= 1);
        }
      }
    }
    for (std::int64_t row = grid.piece(0).begin; row < grid.piece(0).end; ++row) {
      for (std::int64_t column = grid.piece(1).begin; column < order; ++column) {
        CHECK(kept[static_cast<std::size_t>(row * order + column)] == 1);
      }
    }
  }
}

TEST_CASE("cg: the common block is halved by two tasks of one host, from class B on") {
  for (const char letter : class_letters) {
    INFO("class " << letter);
    const bool is_large = letter >= 'B' && letter <= 'F';
    CHECK(halves_common_block(parameters(letter), 2, Prefer::few_rounds) == is_large);
    CHECK_FALSE(halves_common_block(parameters(letter), 2, Prefer::few_messages));
    for (const int tasks : {1, 3, 4, 8}) {
      CHECK_FALSE(halves_common_block(parameters(letter), tasks, Prefer::few_rounds));
    }
  }
}
