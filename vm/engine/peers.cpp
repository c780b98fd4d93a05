#include "vm/engine/peers.hpp"

namespace nasvm::engine {

void Peers::meet(const std::vector<Member>& members, Rank self, std::size_t eager_bytes, std::size_t credit_bytes) {
  self_ = self;
  peers_ = std::vector<Peer>(members.size());
  const std::uint32_t source = members[static_cast<std::size_t>(self)].tid.value;
  for (std::size_t rank = 0; rank < members.size(); ++rank) {
    const Tid tid = members[rank].tid;
    const auto host = static_cast<std::size_t>(tid.host());
    const auto local = static_cast<std::size_t>(tid.local());
    if (rank_of_tid_.size() <= host) rank_of_tid_.resize(host + 1);
    if (rank_of_tid_[host].size() <= local) rank_of_tid_[host].resize(local + 1, any_source);
    rank_of_tid_[host][local] = static_cast<Rank>(rank);
    Peer& peer = peers_[rank];
    peer.tid = tid;
    peer.credit = credit_bytes;
    peer.eager_bytes = eager_bytes;
    peer.envelope.source = source;
    peer.envelope.destination = tid.value;
  }
}

}  // namespace nasvm::engine
