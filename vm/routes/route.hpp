#pragma once
/// \file
/// Which transport carries Comm's messages to a peer: the first, in order of preference, that is applicable between
/// the two (Foster, Geisler, Kesselman, Tuecke, Managing Multiple Communication Methods in High-Performance Networked
/// Computing Systems, section 3.2). Pure logic: what is applicable is asked for.

#include <functional>
#include <string>
#include <vector>

#include "vm/routes/candidate.hpp"
#include "vm/routes/orders.hpp"

namespace nasvm {

/// Empty when that transport can carry packets to that peer, otherwise the reason why not (Transport::why_not).
using WhyNot = std::function<std::string(const TransportRow&, Rank)>;

/// Throws RunError, with every reason, when none of the peer's order is applicable.
const TransportChoice& choose_route(const Orders& orders, Rank peer, const WhyNot& why_not);

/// All of a peer's order, best first, also those behind one that is applicable.
std::vector<RouteCandidate> route_candidates(const Orders& orders, Rank peer, const WhyNot& why_not);

}  // namespace nasvm
