#include "vm/multicast/tree/branch.hpp"

#include <catch2/catch.hpp>

using namespace nasvm::multicast;
using tree::Branch;
using tree::Shape;
using Nodes = std::vector<Node>;

TEST_CASE("a lost node's children are its parent's from then on", "[multicast]") {
  Branch branch(Shape(7, 0), 0);
  CHECK(branch.lose(4) == Nodes{6, 5});
  CHECK(branch.children() == Nodes{2, 1, 6, 5});
  CHECK(branch.lose(7).empty());
  CHECK(branch.lose(6).empty());
  CHECK(branch.children() == Nodes{2, 1, 5});
}

TEST_CASE("those below a lost node are reached whichever node is lost first", "[multicast]") {
  Branch branch(Shape(3, 1), 0);
  CHECK(branch.lose(2).empty());
  CHECK(branch.lose(1) == Nodes{3});
  Branch last(Shape(3, 1), 3);
  CHECK(last.parent() == 2);
  last.lose(2);
  CHECK(last.parent() == 1);
  last.lose(1);
  CHECK(last.parent() == 0);
  last.lose(0);
  CHECK_FALSE(last.parent());
}

TEST_CASE("what a lost node has acknowledged all below it have", "[multicast]") {
  Branch branch(Shape(7, 0), 0);
  branch.acknowledged(4, 10);
  branch.acknowledged(2, 20);
  branch.acknowledged(1, 30);
  CHECK(branch.everywhere(40) == 10);
  branch.acknowledged(6, 15);  // it knew of the loss before this node did
  branch.lose(4);
  CHECK(branch.known_of(6) == 15);
  CHECK(branch.known_of(5) == 10);
  branch.lose(6);
  CHECK(branch.known_of(7) == 15);
  CHECK(branch.everywhere(40) == 10);
  branch.lose(5);
  CHECK(branch.everywhere(40) == 15);
}

TEST_CASE("acknowledgements never fall back, and sequence numbers may begin anew", "[multicast]") {
  Branch branch(Shape(1, 0), 0);
  branch.acknowledged(1, 5);
  branch.acknowledged(1, 4);
  CHECK(branch.everywhere(9) == 5);
  Branch late(Shape(1, 0), 0);
  for (const std::uint32_t sequence : {0x7000'0000U, 0xe000'0000U, 3U}) late.acknowledged(1, sequence);
  CHECK(late.everywhere(9) == 3);
}

TEST_CASE("a node knows who may be above and below it", "[multicast]") {
  const Branch branch(Shape(7, 0), 4);
  CHECK(branch.has_above(0));
  CHECK_FALSE(branch.has_above(2));
  CHECK_FALSE(branch.has_above(4));
  CHECK(branch.has_below(7));
  CHECK_FALSE(branch.has_below(3));
  CHECK_FALSE(branch.has_below(8));
}
