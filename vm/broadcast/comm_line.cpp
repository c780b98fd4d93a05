#include "vm/broadcast/comm_line.hpp"

#include "vm/status.hpp"

namespace nasvm::multicast {
namespace {

constexpr Tag packet_tag = 1;
constexpr std::size_t most_under_way = 64;

}  // namespace

Rank rank_of(Node node, Rank root) {
  if (node == sender_node) return root;
  return node <= root ? node - 1 : node;
}

Node node_of(Rank rank, Rank root) {
  if (rank == root) return sender_node;
  return rank < root ? rank + 1 : rank;
}

void CommLine::make_room() {
  std::erase_if(sent_, [this](const auto& sent) { return comm_.test(sent->request); });
  if (sent_.size() < most_under_way) return;
  comm_.wait(sent_.front()->request);
  sent_.erase(sent_.begin());
}

void CommLine::send(Node to, const Packet& packet) {
  make_room();
  auto sent = std::make_unique<Sent>();
  sent->bytes = encode(packet);
  sent->request = comm_.isend_bytes(sent->bytes, rank_of(to, root_), packet_tag);
  sent_.push_back(std::move(sent));
}

void CommLine::send_to_all(const Packet& packet) {
  for (Rank rank = 0; rank < comm_.size(); ++rank) {
    if (rank != comm_.rank()) send(node_of(rank, root_), packet);
  }
}

bool CommLine::find(Status& found, const std::function<bool()>& done) {
  if (!is_watched()) {
    found = comm_.probe(any_source, packet_tag);
    return true;
  }
  bool is_there = false;
  const auto happened = [&] {
    is_there = comm_.iprobe(any_source, packet_tag, found);
    return is_there || look_for_losses() || done();
  };
  here_.wait_until(happened, TimePoint::max());
  return is_there;
}

bool CommLine::receive(const Status& found) {
  received_.resize(found.bytes);
  try {
    comm_.recv_bytes(received_, found.source, packet_tag);
    return true;
  } catch (const RunError&) {
    if (!look_for_losses()) throw;
    return false;
  }
}

void CommLine::serve(End& end, const std::function<bool()>& done) {
  Status found;
  while (!done()) {
    if (!find(found, done) || !receive(found)) continue;
    if (const auto packet = decode(received_)) {
      end.arrived(node_of(found.source, root_), *packet, std::chrono::steady_clock::now());
    }
  }
  for (const auto& sent : sent_) comm_.wait(sent->request);
  sent_.clear();
}

}  // namespace nasvm::multicast
