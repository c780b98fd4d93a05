#include "vm/multicast/group.hpp"

#include <algorithm>

namespace nasvm::multicast {

std::vector<Rank> distinct_receivers(std::span<const Rank> named, Rank self) {
  std::vector<Rank> receivers;
  for (const Rank rank : named) {
    const bool is_new = std::ranges::find(receivers, rank) == receivers.end();
    if (rank >= 0 && rank != self && is_new) receivers.push_back(rank);
  }
  return receivers;
}

}  // namespace nasvm::multicast
