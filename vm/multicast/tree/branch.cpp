#include "vm/multicast/tree/branch.hpp"

#include <algorithm>

namespace nasvm::multicast::tree {

Branch::Branch(const Shape& shape, Node self)
    : shape_(shape),
      self_(self),
      children_(shape.children(self)),
      lost_(static_cast<std::size_t>(shape.receivers()) + 1),
      acknowledged_(lost_.size()) {}

std::optional<Node> Branch::parent() const {
  Node node = self_;
  while (node != sender_node) {
    node = shape_.parent(node);
    if (!lost_[static_cast<std::size_t>(node)]) return node;
  }
  return std::nullopt;
}

bool Branch::has_below(Node node) const {
  return node > self_ && node <= shape_.receivers() && shape_.leads(self_, node);
}

void Branch::acknowledged(Node node, std::uint32_t sequence) {
  std::uint32_t& known = acknowledged_[static_cast<std::size_t>(node)];
  if (before(known, sequence)) known = sequence;
}

std::uint32_t Branch::known_of(Node child) const {
  std::uint32_t known = acknowledged_[static_cast<std::size_t>(child)];
  // Lost nodes between have spoken for it, too.
  for (Node node = shape_.parent(child); node != self_; node = shape_.parent(node)) {
    const std::uint32_t spoken = acknowledged_[static_cast<std::size_t>(node)];
    if (before(known, spoken)) known = spoken;
  }
  return known;
}

std::uint32_t Branch::everywhere(std::uint32_t own) const {
  std::uint32_t least = own;
  for (const Node child : children_) {
    const std::uint32_t known = known_of(child);
    if (before(known, least)) least = known;
  }
  return least;
}

std::vector<Node> Branch::lose(Node node) {
  if (node < 0 || node > shape_.receivers()) return {};
  lost_[static_cast<std::size_t>(node)] = true;
  std::vector<Node> heirs;
  if (std::erase(children_, node) > 0) add_heirs(node, heirs);
  children_.insert(children_.end(), heirs.begin(), heirs.end());
  return heirs;
}

void Branch::add_heirs(Node of, std::vector<Node>& heirs) const {
  for (const Node child : shape_.children(of)) {
    if (lost_[static_cast<std::size_t>(child)]) {
      add_heirs(child, heirs);
    } else {
      heirs.push_back(child);
    }
  }
}

}  // namespace nasvm::multicast::tree
