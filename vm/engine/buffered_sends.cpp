#include "vm/engine/buffered_sends.hpp"

#include <algorithm>
#include <utility>

namespace nasvm::engine {

BufferedSends::BufferedSends(Engine& engine, std::size_t bound_bytes, BlockedListener blocked)
    : engine_(engine), bound_bytes_(bound_bytes), blocked_(std::move(blocked)) {}

void BufferedSends::send(Rank to, Tag tag, std::span<const std::byte> message) {
  // Now and then, so that the search costs each send the same, however many are kept.
  if (++since_dropping_ > kept_.size() / 2) drop_complete();
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
    if (has_room_for(*send)) return keep(std::move(send));
    tell_if_blocked(*send);
    wait_for_progress(*send);
  }
}

void BufferedSends::keep(SendPointer send) {
  send->copy.assign(send->operation.data, send->operation.data + send->operation.bytes);
  engine_.relocate(send->operation, send->copy.data());
  bytes_ += cost(*send);
  kept_.push_back(std::move(send));
}

void BufferedSends::drop_complete() {
  since_dropping_ = 0;
  std::erase_if(kept_, [this](const SendPointer& send) {
    if (send->operation.complete) bytes_ -= cost(*send);
    return send->operation.complete;
  });
}

/// Until this send, or one of those that are kept, is complete.
void BufferedSends::wait_for_progress(Send& send) {
  std::vector<Operation*> operations{&send.operation};
  for (const SendPointer& kept : kept_) operations.push_back(&kept->operation);
  engine_.wait_any(operations);
}

/// Blocked is who waits for receivers alone: what is on its way already will make room, and then it is told.
void BufferedSends::tell_if_blocked(const Send& send) {
  if (!blocked_) return;
  std::vector<Rank> awaited;
  const auto is_awaited = [&](const Send& one) {
    awaited.push_back(one.operation.peer);
    return engine_.waits_for_receiver(one.operation);
  };
  if (!is_awaited(send)) return;
  // A message longer than all the room there is has only its own receiver to wait for.
  const bool never_kept = cost(send) > bound_bytes_;
  if (!never_kept && !std::ranges::all_of(kept_, [&](const SendPointer& kept) { return is_awaited(*kept); })) return;
  std::ranges::sort(awaited);
  awaited.erase(std::ranges::unique(awaited).begin(), awaited.end());
  blocked_(awaited);
}

}  // namespace nasvm::engine
