#include "vm/service/sends.hpp"

#include <cstring>

namespace nasvm::service {

Sends::SendPointer Sends::take() {
  if (free_.empty()) return SendPointer(new Send);  // its message is not cleared
  SendPointer send = std::move(free_.back());
  free_.pop_back();
  return send;
}

void Sends::fill(Send& send, const Way& way, Tag tag, std::span<const std::byte> message) {
  Operation& operation = send.operation;
  operation.kind = Operation::Kind::send;
  operation.complete = false;
  operation.context = way.context;
  operation.peer = way.peer;
  operation.tag = tag;
  operation.data = const_cast<std::byte*>(message.data());
  operation.bytes = message.size();
}

void Sends::keep(SendPointer send, const Way& way) {
  if (send->operation.complete) {
    send->owner.reset();
    free_.push_back(std::move(send));
  } else {
    ++count_;
    kept_[{way.peer, way.context}].push_back(std::move(send));
  }
}

void Sends::start(SendPointer send, const Way& way, Tag tag, std::span<const std::byte> message) {
  fill(*send, way, tag, message);
  endpoint_.start(send->operation);
  keep(std::move(send), way);
}

void Sends::send(const Way& way, const Head& head, std::span<const std::byte> data) {
  auto& message = next_->message;
  head.put(std::span(message).first<Head::bytes_on_wire>());
  if (!data.empty()) std::memcpy(message.data() + Head::bytes_on_wire, data.data(), data.size());
  fill(*next_, way, head_tag, std::span(message).first(Head::bytes_on_wire + data.size()));
  endpoint_.start(next_->operation);
  if (!next_->operation.complete) keep(std::exchange(next_, take()), way);
}

void Sends::send(const Way& way, const Head& head, std::span<const std::byte> data,
                 std::shared_ptr<const void> owner) {
  send(way, head, {});
  SendPointer send = take();
  send->owner = std::move(owner);
  start(std::move(send), way, data_tag, data);
}

void Sends::multicast(Context context, std::span<const Rank> peers, std::span<const std::byte> data,
                      std::shared_ptr<const void> owner) {
  SendPointer send = take();
  send->owner = std::move(owner);
  const Way to_all{any_source, context};
  fill(*send, to_all, data_tag, data);
  carrier_.start_multicast(send->operation, peers);
  keep(std::move(send), to_all);
}

void Sends::drop() {
  for (auto& [way, queue] : kept_) {
    for (; !queue.empty() && queue.front()->operation.complete; queue.pop_front()) {
      queue.front()->owner.reset();
      free_.push_back(std::move(queue.front()));
      --count_;
    }
  }
  // A burst leaves no more behind than a program usually needs.
  constexpr std::size_t spare = 64;
  if (free_.size() > spare) free_.resize(spare);
}

void Sends::leave_data(Rank peer) {
  for (auto& [way, queue] : kept_) {
    if (way.first != peer) continue;
    count_ -= std::erase_if(queue, [&](const SendPointer& send) {
      const bool goes = send->operation.tag == data_tag;
      if (goes && !send->operation.complete) endpoint_.withdraw(send->operation);
      return goes;
    });
  }
}

std::vector<Operation*> Sends::oldest() const {
  std::vector<Operation*> operations;
  for (const auto& [way, queue] : kept_) {
    if (!queue.empty()) operations.push_back(&queue.front()->operation);
  }
  return operations;
}

}  // namespace nasvm::service
