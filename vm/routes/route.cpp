#include "vm/routes/route.hpp"

#include "vm/status.hpp"

namespace nasvm {

const TransportChoice& choose_route(const Orders& orders, Rank peer, const WhyNot& why_not) {
  std::string reasons;
  const auto& order = orders.to(peer);
  for (const TransportChoice& choice : order) {
    const std::string reason = why_not(*choice.row, peer);
    if (reason.empty()) return choice;
    reasons += (reasons.empty() ? "" : "; ") + std::string(choice.row->name) + ": " + reason;
  }
  if (order.size() == 1) reasons += "; auto, or another one behind a plus, would go on to what does";
  throw RunError("no transport reaches rank " + std::to_string(peer) + ": " + reasons);
}

std::vector<RouteCandidate> route_candidates(const Orders& orders, Rank peer, const WhyNot& why_not) {
  std::vector<RouteCandidate> candidates;
  for (const TransportChoice& choice : orders.to(peer)) {
    candidates.push_back({std::string(choice.row->name), why_not(*choice.row, peer)});
  }
  return candidates;
}

}  // namespace nasvm
