#include "vm/multicast/window/hearing.hpp"

#include <algorithm>

#include "vm/multicast/window/sequence.hpp"

namespace nasvm::multicast {

Hearing::Doubts Hearing::ask(std::uint32_t number) {
  Doubts doubts;
  for (std::size_t i = sender_node + 1; i < nodes_.size(); ++i) {
    State& state = nodes_[i];
    if (state.decided) continue;
    if (state.asked && state.seen == *state.asked && ++state.answered == certainty) {
      state = {.seen = state.seen, .decided = true};
      doubts.deaf.push_back(static_cast<Node>(i));
    } else if (state.asked || before(state.seen, silent_.front())) {
      state.asked = number - 1;
      doubts.ask_apart.push_back(static_cast<Node>(i));
    }
  }
  std::ranges::rotate(silent_, silent_.begin() + 1);
  silent_.back() = number;
  return doubts;
}

void Hearing::report(Node from, std::uint32_t seen) {
  State& state = nodes_[static_cast<std::size_t>(from)];
  if (!before(state.seen, seen)) return;
  state.seen = seen;
  if (!state.asked || !before(*state.asked, seen)) return;
  state.asked.reset();
  state.answered = 0;
}

void Hearing::lost(Node node) { nodes_[static_cast<std::size_t>(node)] = {.decided = true}; }

}  // namespace nasvm::multicast
