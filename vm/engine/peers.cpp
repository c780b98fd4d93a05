#include "vm/engine/peers.hpp"

namespace nasvm::engine {

void Peers::meet(const std::vector<Member>& members, Rank self, std::size_t eager_bytes, std::size_t credit_bytes) {
  self_ = self;
  size_ = static_cast<int>(members.size());
  own_tid_ = members[static_cast<std::size_t>(self)].tid;
  eager_bytes_ = eager_bytes;
  credit_bytes_ = credit_bytes;
  peers_.reserve(members.size());
  for (const Member& member : members) append(member.tid);
}

Rank Peers::add(Tid tid) {
  append(tid);
  peers_.back().routes.fill(stranger_route_);
  peers_.back().request_routes.assign(request_methods_, stranger_route_);
  return static_cast<Rank>(peers_.size()) - 1;
}

void Peers::set_request_methods(std::size_t count) {
  request_methods_ = count;
  for (Rank rank = size(); rank < this->count(); ++rank) (*this)[rank].request_routes.assign(count, stranger_route_);
}

void Peers::append(Tid tid) {
  const auto host = static_cast<std::size_t>(tid.host());
  const auto local = static_cast<std::size_t>(tid.local());
  if (rank_of_tid_.size() <= host) rank_of_tid_.resize(host + 1);
  if (rank_of_tid_[host].size() <= local) rank_of_tid_[host].resize(local + 1, any_source);
  rank_of_tid_[host][local] = static_cast<Rank>(peers_.size());
  Peer& peer = peers_.emplace_back();
  peer.tid = tid;
  peer.credit = credit_bytes_;
  peer.eager_bytes = eager_bytes_;
  peer.envelope.source = own_tid_.value;
  peer.envelope.destination = tid.value;
}

void Peers::end(Rank rank, Presence presence) {
  Peer& peer = (*this)[rank];
  peer.presence = presence;
  ++ended_;
  if (presence == Presence::dead) ++dead_;
  // Short messages through memory are not looked at any further: this way they are, and vanish.
  for (Route& route : peer.routes) route.memory = nullptr;
  for (Route& route : peer.request_routes) route.memory = nullptr;
}

}  // namespace nasvm::engine
