#include "vm/daemon/fair_queue.hpp"

#include <algorithm>

namespace nasvm::daemon {

void FairQueue::push(net::Packet& packet, Tid source) {
  Lane& lane = lanes_[source.value];
  const bool was_empty = lane.packets.empty();
  if (net::may_pass_data(packet.envelope)) lane.packets.push_ahead_of_data(packet, true);
  else lane.packets.push(packet);
  if (!was_empty) return;
  if (next_ != nullptr) lane.start = std::max(lane.start, next_->start);
  active_.push_back(&lane);
  if (next_ == nullptr) choose();
}

void FairQueue::choose() {
  const auto least = std::ranges::min_element(active_, {}, &Lane::start);
  next_ = least == active_.end() ? nullptr : *least;
  if (next_ == nullptr) lanes_.clear();
}

net::Packet& FairQueue::pop() {
  net::Packet& packet = next_->packets.pop();
  next_->start += net::weight(packet.envelope);
  if (next_->packets.empty()) std::erase(active_, next_);
  choose();
  return packet;
}

}  // namespace nasvm::daemon
