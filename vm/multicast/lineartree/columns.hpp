#pragma once
/// \file
/// A linear tree: N receivers in columns of at most H, the first row next to the sender (Lane, Daniels, Yuan, An
/// Empirical Study of Reliable Multicast Protocols over Ethernet-Connected Networks, Figure 2). With C = ceil(N / H)
/// columns, receiver 1 + i × C + j stands in row i of column j; so columns differ by one receiver at most. A lost
/// receiver is left out: its neighbours in the column become each other's.

#include <vector>

#include "vm/multicast/multicast.hpp"

namespace nasvm::multicast {

class Columns {
 public:
  /// `height`: at least 1.
  Columns(int receivers, int height);

  [[nodiscard]] int count() const { return columns_; }
  /// The first of each column that has any left.
  [[nodiscard]] std::vector<Node> heads() const;
  /// Who acknowledges to this receiver; sender_node: nobody.
  [[nodiscard]] Node successor(Node node) const;
  /// To whom it acknowledges: a receiver, or the sender.
  [[nodiscard]] Node predecessor(Node node) const;
  [[nodiscard]] bool same_column(Node a, Node b) const { return (a - 1) % columns_ == (b - 1) % columns_; }
  void lose(Node node);

 private:
  [[nodiscard]] bool contains(Node node) const { return node > sender_node && node < size(); }
  [[nodiscard]] int size() const { return static_cast<int>(alive_.size()); }
  /// The next one of its column in that direction that is not lost.
  [[nodiscard]] Node next(Node node, int step) const;

  int columns_;
  std::vector<bool> alive_;  ///< by node
};

}  // namespace nasvm::multicast
