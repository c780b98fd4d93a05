#pragma once
/// \file
/// A node's place in the tree, as nodes are lost: who its parent and its children are, and what all below it have.
///
/// The children of a lost node are adopted by its parent. That can be done without a question, because a node's
/// acknowledgement speaks for all below it: what the lost node has acknowledged, its children have. Pure bookkeeping.

#include <cstdint>
#include <optional>
#include <vector>

#include "vm/multicast/tree/shape.hpp"
#include "vm/multicast/window/sequence.hpp"

namespace nasvm::multicast::tree {

class Branch {
 public:
  Branch(const Shape& shape, Node self);

  [[nodiscard]] const std::vector<Node>& children() const { return children_; }
  /// The nearest node above that is not lost; none at the sender, or when the sender itself is lost.
  [[nodiscard]] std::optional<Node> parent() const;
  /// May `node` send pieces to this one, now or after losses?
  [[nodiscard]] bool has_above(Node node) const { return node >= 0 && node < self_ && shape_.leads(node, self_); }
  /// May `node` be a child of this one, now or after losses?
  [[nodiscard]] bool has_below(Node node) const;

  /// `node`, which is below, and all below it have everything before `sequence`.
  void acknowledged(Node node, std::uint32_t sequence);
  /// What `child` and all below it are known to have: everything before this.
  [[nodiscard]] std::uint32_t known_of(Node child) const;
  /// What this node, which has everything before `own`, and all below it have.
  [[nodiscard]] std::uint32_t everywhere(std::uint32_t own) const;

  /// The children that this node has from now on because `node` is lost.
  std::vector<Node> lose(Node node);

 private:
  void add_heirs(Node of, std::vector<Node>& heirs) const;

  Shape shape_;
  Node self_;
  std::vector<Node> children_;
  std::vector<bool> lost_;                   ///< by node
  std::vector<std::uint32_t> acknowledged_;  ///< by node, of those below
};

}  // namespace nasvm::multicast::tree
