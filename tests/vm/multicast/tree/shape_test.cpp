#include "vm/multicast/tree/shape.hpp"

#include <catch2/catch.hpp>

using namespace nasvm::multicast;
using tree::Shape;
using Nodes = std::vector<Node>;

TEST_CASE("the binomial tree is a hypercube's, with the largest branches first", "[multicast]") {
  const Shape shape(7, 0);
  CHECK(shape.children(0) == Nodes{4, 2, 1});
  CHECK(shape.children(4) == Nodes{6, 5});
  CHECK(shape.children(6) == Nodes{7});
  CHECK(shape.children(7).empty());
  CHECK(Shape(5, 0).children(0) == Nodes{4, 2, 1});
  CHECK(Shape(5, 0).children(4) == Nodes{5});
  CHECK(Shape(0, 0).children(0).empty());
}

TEST_CASE("nodes of a k-ary tree have k children", "[multicast]") {
  CHECK(Shape(7, 2).children(0) == Nodes{1, 2});
  CHECK(Shape(7, 2).children(3) == Nodes{7});
  CHECK(Shape(7, 3).children(1) == Nodes{4, 5, 6});
  CHECK(Shape(3, 1).children(2) == Nodes{3});
  CHECK(Shape(3, 1000).children(0) == Nodes{1, 2, 3});
}

TEST_CASE("every receiver is the child of one node, and all are below the sender", "[multicast]") {
  const int arity = GENERATE(0, 1, 2, 3, 8);
  const int receivers = GENERATE(1, 2, 6, 7, 8, 30, 31);
  const Shape shape(receivers, arity);
  std::vector<int> parents(static_cast<std::size_t>(receivers) + 1);
  for (Node node = 0; node <= receivers; ++node) {
    for (const Node child : shape.children(node)) {
      ++parents[static_cast<std::size_t>(child)];
      CHECK(shape.parent(child) == node);
      CHECK(shape.leads(node, child));
      CHECK_FALSE(shape.leads(child, node));
    }
    CHECK(shape.leads(sender_node, node));
  }
  CHECK(parents.front() == 0);
  CHECK(std::count(parents.begin() + 1, parents.end(), 1) == receivers);
}
