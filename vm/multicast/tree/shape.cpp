#include "vm/multicast/tree/shape.hpp"

#include <algorithm>
#include <bit>

namespace nasvm::multicast::tree {
namespace {

std::vector<Node> binomial_children(Node node, int receivers) {
  const auto nodes = static_cast<unsigned>(receivers) + 1;
  const unsigned number = static_cast<unsigned>(node);
  // Below the lowest bit that is set; all bits of the group's numbers where none is.
  unsigned bit = number == 0 ? std::bit_ceil(nodes) : number & -number;
  std::vector<Node> children;
  for (bit /= 2; bit > 0; bit /= 2) {
    if (number + bit < nodes) children.push_back(static_cast<Node>(number + bit));
  }
  return children;
}

}  // namespace

Node Shape::parent(Node node) const { return arity_ == 0 ? node & (node - 1) : (node - 1) / arity_; }

std::vector<Node> Shape::children(Node node) const {
  if (arity_ == 0) return binomial_children(node, receivers_);
  std::vector<Node> children;
  const auto first = std::int64_t{node} * arity_ + 1;
  const auto last = std::min<std::int64_t>(first + arity_ - 1, receivers_);
  for (auto child = first; child <= last; ++child) children.push_back(static_cast<Node>(child));
  return children;
}

bool Shape::leads(Node above, Node node) const {
  while (node > above) node = parent(node);
  return node == above;
}

}  // namespace nasvm::multicast::tree
