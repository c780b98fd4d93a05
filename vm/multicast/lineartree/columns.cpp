#include "vm/multicast/lineartree/columns.hpp"

#include <algorithm>

namespace nasvm::multicast {

Columns::Columns(int receivers, int height)
    : columns_(std::max(1, (receivers + height - 1) / height)),
      alive_(static_cast<std::size_t>(receivers) + 1, true) {}

Node Columns::next(Node node, int step) const {
  node += step;
  while (contains(node) && !alive_[static_cast<std::size_t>(node)]) node += step;
  return contains(node) ? node : sender_node;
}

Node Columns::successor(Node node) const { return next(node, columns_); }
Node Columns::predecessor(Node node) const { return next(node, -columns_); }

std::vector<Node> Columns::heads() const {
  std::vector<Node> heads;
  for (int column = 0; column < columns_; ++column) {
    const Node head = successor(column + 1 - columns_);
    if (head != sender_node) heads.push_back(head);
  }
  return heads;
}

void Columns::lose(Node node) {
  if (contains(node)) alive_[static_cast<std::size_t>(node)] = false;
}

}  // namespace nasvm::multicast
