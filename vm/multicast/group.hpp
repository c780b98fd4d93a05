#pragma once
/// \file
/// Who is in a group, and where: what every protocol needs before its first packet. Pure bookkeeping.

#include <span>
#include <vector>

#include "vm/endpoint.hpp"

namespace nasvm::multicast {

/// The receivers of a list in which some may stand twice, and the sender, too: each once, in the order of the list,
/// without `self` and without what is no rank (negative).
std::vector<Rank> distinct_receivers(std::span<const Rank> named, Rank self);

}  // namespace nasvm::multicast
