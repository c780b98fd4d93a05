#include "vm/multicast/lineartree/columns.hpp"

#include <catch2/catch.hpp>

using namespace nasvm::multicast;

TEST_CASE("receivers stand in columns, rows first", "[multicast]") {
  const Columns columns(8, 3);  // 1 2 3 / 4 5 6 / 7 8
  CHECK(columns.count() == 3);
  CHECK(columns.heads() == std::vector<Node>{1, 2, 3});
  CHECK(columns.predecessor(2) == sender_node);
  CHECK(columns.successor(2) == 5);
  CHECK(columns.predecessor(8) == 5);
  CHECK(columns.successor(8) == sender_node);
  CHECK(columns.successor(6) == sender_node);
  CHECK(columns.same_column(2, 8));
  CHECK_FALSE(columns.same_column(1, 8));
}

TEST_CASE("a column as high as the group is a chain, one of height 1 is nothing but heads", "[multicast]") {
  CHECK(Columns(5, 5).heads() == std::vector<Node>{1});
  CHECK(Columns(5, 100).successor(4) == 5);
  CHECK(Columns(5, 1).heads() == std::vector<Node>{1, 2, 3, 4, 5});
  CHECK(Columns(0, 3).heads().empty());
}

TEST_CASE("lost receivers are left out of their column", "[multicast]") {
  Columns columns(6, 3);  // 1 2 / 3 4 / 5 6
  columns.lose(3);
  CHECK(columns.successor(1) == 5);
  CHECK(columns.predecessor(5) == 1);
  columns.lose(1);
  CHECK(columns.heads() == std::vector<Node>{5, 2});
  CHECK(columns.predecessor(5) == sender_node);
  columns.lose(5);
  CHECK(columns.heads() == std::vector<Node>{2});
  columns.lose(77);
  columns.lose(-1);
}
