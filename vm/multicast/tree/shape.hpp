#pragma once
/// \file
/// Who passes pieces on to whom: spanning trees over a group's nodes, numbers alone. Pure arithmetic.
///
/// - binomial: PVM 2's, where bits of a node's number determine its children as in a hypercube (Dunigan and Hall, PVM
///   and IP Multicast, section 3.1.6): the parent's number lacks the lowest bit. ceil(log2(N + 1)) levels below the
///   sender, which has as many children.
/// - k-ary: children of n are kn + 1 to kn + k; with k = 1 a chain.

#include <vector>

#include "vm/multicast/multicast.hpp"

namespace nasvm::multicast::tree {

class Shape {
 public:
  /// `arity` 0: binomial.
  Shape(int receivers, int arity) : receivers_(receivers), arity_(arity) {}

  [[nodiscard]] int receivers() const { return receivers_; }
  /// Of any node but the sender.
  [[nodiscard]] Node parent(Node node) const;
  /// In the order in which they are served: those with the most nodes below them first.
  [[nodiscard]] std::vector<Node> children(Node node) const;
  /// Does a piece for `node` pass `above`, as long as no node is lost?
  [[nodiscard]] bool leads(Node above, Node node) const;

 private:
  int receivers_;
  int arity_;
};

}  // namespace nasvm::multicast::tree
