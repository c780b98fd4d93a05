#include "vm/task_requests.hpp"

#include <algorithm>
#include <functional>
#include <string>

#include "vm/routes/route.hpp"
#include "vm/status.hpp"

namespace nasvm {
namespace {

/// What a link's order may say: which transports. How they work is the task's.
Orders parse_links_order(std::string_view order) {
  Orders orders(order);
  for (const TransportChoice& choice : orders.to(any_source)) {
    if (choice.parameters.empty()) continue;
    throw UsageError("a link's order names transports alone, and \"" + std::string(order) +
                     "\" has parameters: they are the task's (--transport)");
  }
  return orders;
}

}  // namespace

/// Contexts are the same in all tasks: a number for each row of the table, whatever a task has made.
TaskRequests::TaskRequests(Engine& engine, const TransportSet& transports, const Orders& orders, const Secret& secret,
                           Multicast multicast)
    : engine_(engine), transports_(transports), orders_(orders), secret_(secret), multicast_(std::move(multicast)) {
  std::vector<Transport*> routes;
  const TransportRow& daemons = transport_for(TransportRole::packed);
  Transport& fallback = transports.of(daemons);
  for (const TransportRow& row : nasvm::transports()) {
    Transport* made = transports.find(row);
    const auto context = static_cast<Context>(first_request_context + routes.size());
    if (made != nullptr) methods_.push_back({row.name, context});
    if (&row == &daemons) daemons_context_ = context;
    routes.push_back(made != nullptr ? made : &fallback);
  }
  engine_.set_request_routes(routes);
}

std::string TaskRequests::why_not(const TransportRow& row, Rank peer) const {
  Transport* transport = transports_.find(row);
  if (transport == nullptr) return "this task's orders of preference do not name it (--transport)";
  if (peer < engine_.size()) return transport->why_not(peer);
  return row.role == TransportRole::packed ? "" : "the peer belongs to another world";
}

Orders TaskRequests::orders_for(Rank peer, std::string_view order) const {
  if (!order.empty()) return parse_links_order(order);
  if (peer < engine_.size()) return orders_;
  return Orders(transport_for(TransportRole::packed).name);
}

RequestCarrier::Method TaskRequests::choose(Rank peer, std::string_view order) {
  const Orders orders = orders_for(peer, order);
  if (peer == engine_.rank()) return {"self", methods_.front().context};
  const TransportChoice& choice = choose_route(orders, peer, std::bind_front(&TaskRequests::why_not, this));
  return *std::ranges::find(methods_, choice.row->name, &Method::name);
}

std::vector<RouteCandidate> TaskRequests::candidates(Rank peer, std::string_view order) {
  return route_candidates(orders_for(peer, order), peer, std::bind_front(&TaskRequests::why_not, this));
}

}  // namespace nasvm
