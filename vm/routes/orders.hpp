#pragma once
/// \file
/// The orders of preference of one task: which transports may carry Comm's messages to each peer, best first, and
/// with which parameters. As the user gave them; what is applicable is found by choose_route (route.hpp).

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "vm/endpoint.hpp"
#include "vm/transport/table.hpp"

namespace nasvm {

/// Best first; never empty.
using Order = std::vector<TransportChoice>;

class Orders {
 public:
  Orders() = default;
  /// The order for all peers. Throws UsageError when the text is none (parse_transport_order).
  explicit Orders(std::string_view order) : order_(parse_transport_order(order)) {}
  /// Another order for one peer.
  void set(Rank peer, std::string_view order) { order_of_peer_[peer] = parse_transport_order(order); }

  [[nodiscard]] const Order& to(Rank peer) const;
  /// Does any order name it?
  [[nodiscard]] bool name(const TransportRow& row) const;
  /// A transport is made once for all peers: with the parameters of the first order that names it, where orders of
  /// single peers come before the one for all.
  [[nodiscard]] const Parameters& parameters_of(const TransportRow& row) const;
  /// A parameter of the whole task: the first value in any order, in the same sequence.
  [[nodiscard]] std::optional<std::uint64_t> first_value(std::string_view parameter) const;

 private:
  [[nodiscard]] std::vector<const TransportChoice*> all_choices() const;

  Order order_;
  std::map<Rank, Order> order_of_peer_;
};

}  // namespace nasvm
