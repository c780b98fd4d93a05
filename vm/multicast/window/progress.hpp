#pragma once
/// \file
/// How far each of some nodes has acknowledged, and how far all have. An acknowledgement costs a step, but one for
/// each node when it was the last that `minimum()` waited for.

#include <cstdint>
#include <vector>

#include "vm/multicast/multicast.hpp"
#include "vm/multicast/window/sequence.hpp"

namespace nasvm::multicast {

class Progress {
 public:
  /// Of nodes below `nodes`; none of them counts until it is added.
  explicit Progress(int nodes) : nodes_(static_cast<std::size_t>(nodes)) {}

  /// From now on this node counts, and has everything before `sequence`.
  void add(Node node, std::uint32_t sequence);
  void remove(Node node);
  [[nodiscard]] bool counts(Node node) const { return nodes_[static_cast<std::size_t>(node)].counts; }
  [[nodiscard]] bool empty() const { return counting_ == 0; }
  /// This node has everything before `sequence`. Returns whether all now have more.
  bool advance(Node node, std::uint32_t sequence);
  [[nodiscard]] std::uint32_t of(Node node) const { return nodes_[static_cast<std::size_t>(node)].has; }
  /// Everything before it is had by all that count.
  [[nodiscard]] std::uint32_t minimum() const { return minimum_; }

 private:
  struct State {
    std::uint32_t has = 0;
    bool counts = false;
  };
  void find_minimum();

  std::vector<State> nodes_;
  int counting_ = 0;
  int at_minimum_ = 0;
  std::uint32_t minimum_ = 0;
};

}  // namespace nasvm::multicast
