#include "vm/multicast/window/progress.hpp"

namespace nasvm::multicast {

void Progress::add(Node node, std::uint32_t sequence) {
  State& state = nodes_[static_cast<std::size_t>(node)];
  if (!state.counts) ++counting_;
  state = {sequence, true};
  find_minimum();
}

void Progress::remove(Node node) {
  State& state = nodes_[static_cast<std::size_t>(node)];
  if (!state.counts) return;
  state.counts = false;
  --counting_;
  find_minimum();
}

bool Progress::advance(Node node, std::uint32_t sequence) {
  State& state = nodes_[static_cast<std::size_t>(node)];
  if (!state.counts || !before(state.has, sequence)) return false;
  const bool was_last = state.has == minimum_ && --at_minimum_ == 0;
  state.has = sequence;
  if (was_last) find_minimum();
  return was_last;
}

void Progress::find_minimum() {
  at_minimum_ = 0;
  for (const State& state : nodes_) {
    if (!state.counts) continue;
    if (at_minimum_ == 0 || before(state.has, minimum_)) {
      minimum_ = state.has;
      at_minimum_ = 0;
    }
    if (state.has == minimum_) ++at_minimum_;
  }
}

}  // namespace nasvm::multicast
