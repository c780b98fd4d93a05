#include "vm/engine/sender.hpp"

#include <algorithm>

namespace nasvm::engine {

Sender::Send& Sender::take_record(Operation& operation, Transport& transport, Tid destination) {
  if (free_sends_.empty()) {
    sends_.push_back(std::make_unique<Send>());
    sends_.back()->id = static_cast<std::uint32_t>(sends_.size());
    free_sends_.push_back(sends_.back()->id);
  }
  Send& send = *sends_[free_sends_.back() - 1];
  free_sends_.pop_back();
  send.operation = &operation;
  send.transport = &transport;
  send.destination = destination;
  send.packet.payload = nullptr;
  send.sent = 0;
  send.awaited_grants = 0;
  send.asked.clear();
  operation.state = &send;
  return send;
}

void Sender::complete(Send& send) {
  ++completed_;
  const bool is_for_group = send.operation->peer < 0;
  send.operation->complete = true;
  send.operation = nullptr;
  free_sends_.push_back(send.id);
  if (!orphans_.empty()) bury_orphans();
  if (is_for_group) on_group_(send);
}

void Sender::start_record(Peer& peer, Transport& transport, Operation& operation, bool at_once) {
  if (peer.is_gone()) {
    ++completed_;
    operation.complete = true;
    return;
  }
  Send& send = take_record(operation, transport, peer.tid);
  if (at_once) {
    peer.credit -= eager_cost(operation);
    return send_piece(send, PacketKind::eager, 0);
  }
  if (Peer::may_invite(operation.context) && !operation.synchronous) {
    if (const auto number = peer.held.take(operation.context, operation.tag, operation.bytes)) {
      send.invitation = *number;
      return send_piece(send, PacketKind::invited, 0);
    }
  }
  ++announced_;
  if (operation.context == packed_context) ++peer.packed_announced;
  announce(operation.peer, send);
}

bool Sender::may_be_pulled(Rank receiver, const Operation& operation) const {
  return operation.bytes != 0 && peers_[receiver].route(operation.context).pull_from != MemoryPath::never;
}

/// Says that there is a message, and where in this task's memory, if the receiver may fetch it.
void Sender::announce(Rank receiver, Send& send) {
  ++send.awaited_grants;
  const Operation& operation = *send.operation;
  Envelope request = control_of(PacketKind::request, operation.context, send.id);
  request.message_bytes = operation.bytes;
  request.tag = operation.tag;
  request.element_bytes = operation.element_bytes;
  // What goes to a group waits for all of them, invited or not.
  request.synchronous = operation.synchronous || operation.peer < 0 ? 1 : 0;
  send.order = next_order_++;
  if (Peer::may_invite(operation.context)) request.invitation = peers_[receiver].held.give_up();
  if (may_be_pulled(receiver, operation)) request.offset = reinterpret_cast<std::uintptr_t>(operation.data);
  outbox_.send_control(receiver, request);
}

Sender::Send& Sender::start_group(Operation& operation, std::span<const Rank> receivers, Tid group,
                                  bool may_go_at_once) {
  operation.peer = any_source;
  Send& send = take_record(operation, *peers_[peers_.self()].route(operation.context).transport, group);
  const auto takes_at_once = [&](Rank rank) {
    return peers_[rank].is_gone() || peers_[rank].takes_at_once(operation);
  };
  const bool at_once = may_go_at_once && std::ranges::all_of(receivers, takes_at_once);
  for (const Rank rank : receivers) {
    if (peers_[rank].is_gone()) continue;
    if (at_once) {
      peers_[rank].credit -= eager_cost(operation);
    } else {
      send.asked.push_back(rank);
      announce(rank, send);
    }
  }
  send.first = at_once ? PacketKind::eager : PacketKind::data;
  return send;
}

void Sender::go(Send& send) { send_piece(send, send.first, 0); }

void Sender::send_piece(Send& send, PacketKind kind, std::size_t offset) {
  const Operation& operation = *send.operation;
  const std::size_t piece = std::min(
      {operation.bytes - offset, send.transport->usual_payload(operation.peer, operation.bytes), max_packet_payload});
  Envelope& envelope = send.packet.envelope;
  envelope = {};
  envelope.kind = kind;
  envelope.element_bytes = operation.element_bytes;
  envelope.source = peers_[peers_.self()].tid.value;
  envelope.destination = send.destination.value;
  envelope.context = operation.context;
  envelope.tag = operation.tag;
  envelope.sender_id = send.id;
  if (kind == PacketKind::invited) envelope.invitation = send.invitation;
  envelope.payload_bytes = static_cast<std::uint32_t>(piece);
  envelope.message_bytes = operation.bytes;
  envelope.offset = offset;
  if (operation.peer >= 0) envelope.credit = outbox_.take_credit(operation.peer);
  send.packet.payload = operation.data + offset;
  send.packet.owner = &send;
  send.sent = offset + piece;
  outbox_.hand_over(*send.transport, operation.peer, send.packet);
}

void Sender::piece_sent(Send& send) {
  const Operation& operation = *send.operation;
  const bool wanted = operation.peer < 0 || !peers_[operation.peer].is_gone();
  if (wanted && send.sent < operation.bytes) return send_piece(send, PacketKind::data, send.sent);
  complete(send);
}

/// A packet that has left in part goes on at the same place of the new one.
void Sender::relocate(Operation& operation, const std::byte* data) {
  Send& send = *static_cast<Send*>(operation.state);
  if (operation.data != nullptr && send.packet.payload != nullptr) {
    send.packet.payload = data + (send.packet.payload - operation.data);
  }
  operation.data = const_cast<std::byte*>(data);
}

void Sender::bury_orphans() {
  std::erase_if(orphans_, [](const auto& orphan) {
    if (!orphan->operation.complete) return false;
    if (orphan->moved_from != nullptr) orphan->moved_from->end_moving();
    return true;
  });
}

/// Its receiver may wait for it already. One that has no record, or none of its own any more, is not under way.
void Sender::adopt(const Operation& operation) {
  auto* const send = static_cast<Send*>(operation.state);
  if (operation.complete || send == nullptr || send->operation != &operation) return;
  auto orphan = std::make_unique<Orphan>();
  orphan->message.assign(operation.data, operation.data + operation.bytes);
  Operation& own = orphan->operation;
  own.element_bytes = operation.element_bytes;
  own.synchronous = operation.synchronous;
  own.context = operation.context;
  own.peer = operation.peer;
  own.tag = operation.tag;
  own.data = operation.data;
  own.bytes = operation.bytes;
  own.state = send;
  relocate(own, orphan->message.data());
  // Who has been told the address may fetch from there at any time.
  const bool is_of_group = own.peer < 0;  // whose messages the daemons carry
  if (send->awaited_grants != 0 && !is_of_group && may_be_pulled(own.peer, own)) {
    orphan->moved_from = peers_[own.peer].route(own.context).memory;
    orphan->moved_from->begin_moving();
  }
  send->operation = &own;
  orphans_.push_back(std::move(orphan));
}

/// The announced send of that number, if it still waits for that receiver's answer. The answer of one that has ended
/// may be late, and the number another's by now.
Sender::Send* Sender::find_waiting(Rank receiver, std::uint32_t sender_id) {
  if (sender_id == 0 || sender_id > sends_.size()) return nullptr;
  Send& send = *sends_[sender_id - 1];
  if (send.operation == nullptr || send.awaited_grants == 0) return nullptr;
  const Rank peer = send.operation->peer;
  const bool is_asked = peer >= 0 ? peer == receiver : std::ranges::find(send.asked, receiver) != send.asked.end();
  return is_asked ? &send : nullptr;
}

void Sender::granted(Rank receiver, std::uint32_t sender_id) {
  Send* send = find_waiting(receiver, sender_id);
  if (send == nullptr) return;
  if (send->operation->context == packed_context) ++peers_[receiver].grants_heard;
  --send->awaited_grants;
  if (send->operation->peer < 0) {
    std::erase(send->asked, receiver);
    if (send->awaited_grants == 0) on_group_(*send);
    return;
  }
  --announced_;
  if (send->operation->context == packed_context) --peers_[receiver].packed_announced;
  send_piece(*send, PacketKind::data, 0);
}

/// The oldest announced message that it is for.
Sender::Send* Sender::find_waiting(Rank receiver, const Invitation& invitation) {
  if (announced_ == 0) return nullptr;
  Send* oldest = nullptr;
  for (const auto& send : sends_) {
    if (send->operation == nullptr || send->awaited_grants == 0) continue;
    const Operation& operation = *send->operation;
    if (operation.peer != receiver || operation.synchronous) continue;
    if (!invitation.takes(operation.context, operation.tag, operation.bytes)) continue;
    if (oldest == nullptr || send->order < oldest->order) oldest = send.get();
  }
  return oldest;
}

void Sender::invited(Rank receiver, const Envelope& envelope) {
  const Invitation invitation{envelope.invitation, envelope.context, envelope.tag, envelope.message_bytes};
  if (!Peer::may_invite(invitation.context)) return;
  HeldInvitations& held = peers_[receiver].held;
  held.saw(invitation.number);
  Send* send = find_waiting(receiver, invitation);
  if (send == nullptr) return held.keep(invitation);
  send->awaited_grants = 0;
  --announced_;
  send_piece(*send, PacketKind::data, 0);
}

void Sender::fetched(Rank receiver, std::uint32_t sender_id) {
  Send* send = find_waiting(receiver, sender_id);
  if (send == nullptr) return;
  --announced_;
  complete(*send);
}

void Sender::forget(Rank receiver) {
  for (const auto& record : sends_) {
    Send* send = find_waiting(receiver, record->id);
    if (send == nullptr) continue;
    if (send->operation->peer < 0) {
      std::erase(send->asked, receiver);
      if (--send->awaited_grants == 0) on_group_(*send);
    } else {
      --announced_;
      complete(*send);
    }
  }
  peers_[receiver].packed_announced = 0;
}

std::vector<std::pair<const Operation*, Rank>> Sender::waiting() const {
  std::vector<std::pair<const Operation*, Rank>> all;
  for (const auto& send : sends_) {
    if (send->operation == nullptr) continue;
    all.emplace_back(send->operation, send->asked.empty() ? send->operation->peer : send->asked.front());
  }
  return all;
}

}  // namespace nasvm::engine
