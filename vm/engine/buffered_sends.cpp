#include "vm/engine/buffered_sends.hpp"

#include <algorithm>
#include <utility>

namespace nasvm::engine {

BufferedSends::BufferedSends(Engine& engine, std::size_t bound_bytes, BlockedListener blocked)
    : engine_(engine), bound_bytes_(bound_bytes), blocked_(std::move(blocked)) {}

void BufferedSends::send(Rank to, Tag tag, std::span<const std::byte> message, bool serves) {
  drop_complete();
  auto send = std::make_unique<Send>();
  Operation& operation = send->operation;
  operation.kind = Operation::Kind::send;
  operation.context = packed_context;
  operation.peer = to;
  operation.tag = tag;
  operation.data = const_cast<std::byte*>(message.data());
  operation.bytes = message.size();
  engine_.start(operation);
  while (!operation.complete) {
    if (!has_room_for(*send)) drop_complete();
    if (!has_room_for(*send)) drop_all_complete();
    if (has_room_for(*send)) return keep(std::move(send));
    try {
      tell_if_blocked(*send);
      engine_.wait_for_send(serves);
    } catch (...) {
      if (!operation.complete) engine_.withdraw(operation);
      throw;
    }
  }
}

void BufferedSends::keep(SendPointer send) {
  send->copy.assign(send->operation.data, send->operation.data + send->operation.bytes);
  engine_.relocate(send->operation, send->copy.data());
  bytes_ += cost(*send);
  ++count_;
  kept_[send->operation.peer].push_back(std::move(send));
}

void BufferedSends::drop(const Send& send) {
  bytes_ -= cost(send);
  --count_;
}

/// Those that have ended in their order: what it costs does not depend on how many are kept.
void BufferedSends::drop_complete() {
  for (auto& [rank, queue] : kept_) {
    for (; !queue.empty() && queue.front()->operation.complete; queue.pop_front()) drop(*queue.front());
  }
}

/// Those, too, that a receiver has taken before others.
void BufferedSends::drop_all_complete() {
  if (std::exchange(looked_through_at_, engine_.completed_sends()) == engine_.completed_sends()) return;
  for (auto& [rank, queue] : kept_) {
    std::erase_if(queue, [this](const SendPointer& send) {
      if (send->operation.complete) drop(*send);
      return send->operation.complete;
    });
  }
}

/// For whom a send waits, where it waits for receivers alone: what is on its way already will make room.
std::vector<Rank> BufferedSends::awaited_of(const Send& send) const {
  if (!engine_.waits_for_receiver(send.operation)) return {};
  // A message longer than all the room there is has only its own receiver to wait for.
  if (cost(send) > bound_bytes_) return {send.operation.peer};
  std::vector<Rank> awaited;
  std::size_t announced = 0;
  for (Rank rank = 0; rank < engine_.peer_count(); ++rank) {
    announced += engine_.packed_announced(rank);
    if (engine_.packed_announced(rank) != 0) awaited.push_back(rank);
  }
  return announced == count_ + 1 ? awaited : std::vector<Rank>{};
}

void BufferedSends::drain(Rank first) {
  for (drop_all_complete(); keeps_any(first); drop_all_complete()) engine_.wait_for_send(true);
}

bool BufferedSends::keeps_any(Rank first) const {
  return std::any_of(kept_.lower_bound(first), kept_.end(), [](const auto& entry) { return !entry.second.empty(); });
}

void BufferedSends::tell_if_blocked(const Send& send) {
  if (!blocked_) return;
  const std::vector<Rank> awaited = awaited_of(send);
  if (!awaited.empty()) blocked_(awaited);
}

}  // namespace nasvm::engine
