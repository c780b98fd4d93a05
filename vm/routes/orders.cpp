#include "vm/routes/orders.hpp"

#include <algorithm>

namespace nasvm {

const Order& Orders::to(Rank peer) const {
  const auto own = order_of_peer_.find(peer);
  return own == order_of_peer_.end() ? order_ : own->second;
}

std::vector<const TransportChoice*> Orders::all_choices() const {
  std::vector<const TransportChoice*> choices;
  const auto add = [&](const Order& order) {
    for (const TransportChoice& choice : order) choices.push_back(&choice);
  };
  for (const auto& [peer, own] : order_of_peer_) add(own);
  add(order_);
  return choices;
}

bool Orders::name(const TransportRow& row) const {
  const auto choices = all_choices();
  return std::ranges::find(choices, &row, &TransportChoice::row) != choices.end();
}

const Parameters& Orders::parameters_of(const TransportRow& row) const {
  static const Parameters none;
  const auto choices = all_choices();
  const auto found = std::ranges::find(choices, &row, &TransportChoice::row);
  return found == choices.end() ? none : (*found)->parameters;
}

std::optional<std::uint64_t> Orders::first_value(std::string_view parameter) const {
  for (const TransportChoice* choice : all_choices()) {
    const auto set = choice->parameters.find(parameter);
    if (set != choice->parameters.end()) return set->second;
  }
  return std::nullopt;
}

}  // namespace nasvm
