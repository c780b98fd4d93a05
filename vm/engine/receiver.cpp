#include "vm/engine/receiver.hpp"

#include <algorithm>
#include <cassert>
#include <string>
#include <utility>

#include "vm/block_copy.hpp"
#include "vm/status.hpp"
#include "vm/too_short.hpp"

namespace nasvm::engine {
namespace {

/// Checks that a packet's payload lies inside its message of `bytes`.
void check_bounds(Rank source, const Envelope& envelope, std::size_t bytes) {
  if (envelope.offset <= bytes && envelope.payload_bytes <= bytes - envelope.offset) return;
  throw RunError("a packet from rank " + std::to_string(source) + " lies outside its message");
}

/// A message that has no receive yet, as its first packet describes it.
std::unique_ptr<Unexpected> described(Rank source, const Envelope& envelope) {
  auto message = std::make_unique<Unexpected>();
  message->source = source;
  message->tag = envelope.tag;
  message->context = envelope.context;
  message->bytes = envelope.message_bytes;
  message->sender_id = envelope.sender_id;
  return message;
}

}  // namespace

/// A receive that has matched such a message is over.
void Receiver::mark_too_short(Operation& receive, Rank source, Tag tag, std::size_t bytes) {
  receive.status = {source, tag, bytes};
  receive.abandoned = true;
}

/// A whole message that is longer than its receive.
void Receiver::take_overlong(Rank source, const Envelope& envelope, const std::byte* payload, Operation& receive) {
  const std::size_t bytes = envelope.payload_bytes;
  if (receive.may_truncate) {
    copy_native(envelope, payload, receive.data, receive.bytes);
    complete(receive, source, envelope.tag, bytes);
  } else {
    mark_too_short(receive, source, envelope.tag, bytes);
  }
  owe_credit(source, envelope.context, sizeof(Envelope) + bytes);
  if (!receive.may_truncate) complain_of_length(receive);
}

/// A message in pieces that is longer than its receive. They land nowhere, and the credit goes back when all are
/// here; the end of the one that has come is not reported, since this throws.
void Receiver::refuse_pieces(Rank source, const Envelope& envelope, std::size_t owed, Operation& receive) {
  const std::size_t bytes = envelope.message_bytes;
  mark_too_short(receive, source, envelope.tag, bytes);
  const std::size_t missing = bytes - envelope.payload_bytes;
  if (missing == 0) {
    owe_credit(source, envelope.context, owed);
  } else {
    (void)add_inbound({source, envelope.tag, envelope.context, envelope.sender_id, bytes, missing, owed, nullptr,
                       &nobody_, nullptr});
  }
  complain_of_length(receive);
}

/// A message that is longer than the receive that takes it over, whole, arriving, or still at its sender.
void Receiver::lose(std::unique_ptr<Unexpected> message, Operation& receive) {
  mark_too_short(receive, message->source, message->tag, message->bytes);
  take_over(std::move(message), nobody_);
}

Receiver::Inbound& Receiver::add_inbound(Inbound record) {
  if (inbound_pool_.empty()) inbound_pool_.push_back(std::make_unique<Inbound>());
  InboundList& list = inbound_of(record.source);
  list.push_back(std::move(inbound_pool_.back()));
  inbound_pool_.pop_back();
  return *list.back() = std::move(record);
}

/// Where the pieces of a message go that has a receive, which it fits.
void Receiver::set_landing(Inbound& inbound, const Operation& receive) {
  inbound.data = receive.data;
  inbound.kept = std::min(inbound.bytes, receive.bytes);
}

/// What lies wholly behind the place of a truncated message lands nowhere.
net::Landing Receiver::landing_of(Inbound& inbound, const Envelope& envelope) {
  net::Landing landing{net::Landing::Verdict::take, nullptr, &inbound, &inbound.withdrawn};
  if (envelope.offset >= inbound.kept) return landing;
  landing.data = inbound.data + envelope.offset;
  if (envelope.payload_bytes <= inbound.kept - envelope.offset) return landing;
  inbound.overlong = std::make_unique_for_overwrite<std::byte[]>(envelope.payload_bytes);
  landing.data = inbound.overlong.get();
  return landing;
}

void Receiver::withdraw(Operation& receive) {
  if (receive.complete || cancel(receive)) return;
  for (const InboundList& list : inbound_) {
    for (const auto& inbound : list) {
      if (inbound->receive == &receive) {
        inbound->receive = &nobody_;
        inbound->kept = 0;
        inbound->withdrawn = true;
      } else if (inbound->unexpected != nullptr && inbound->unexpected->receive == &receive) {
        inbound->unexpected->receive = &nobody_;
      }
    }
  }
}

void Receiver::take_own(Operation& send) {
  const Rank self = peers_.self();
  Envelope envelope;
  envelope.tag = send.tag;
  envelope.context = send.context;
  envelope.message_bytes = send.bytes;
  std::byte* into = nullptr;
  std::size_t kept = send.bytes;
  bool matched = true;
  if (Operation* receive = matcher_.take_posted(self, send.tag, send.context)) {
    if (!fits(*receive, send.bytes)) {
      mark_too_short(*receive, self, send.tag, send.bytes);
      complain_of_length(*receive);
    }
    kept = std::min(send.bytes, receive->bytes);
    into = receive->data;
    complete(*receive, self, send.tag, send.bytes);
  } else {
    Unexpected& message = keep(self, envelope, 0);
    message.complete = true;
    into = message.data.get();
    if (send.synchronous) message.own_send = &send;
    matched = !send.synchronous;
  }
  copy_bytes(into, send.data, kept);
  send.complete = matched;
}

/// A receive has matched a message that came before it.
void Receiver::take_over(std::unique_ptr<Unexpected> message, Operation& receive) {
  if (!fits(receive, message->bytes)) {
    lose(std::move(message), receive);
    complain_of_length(receive);
  }
  const std::size_t kept = std::min(message->bytes, receive.bytes);
  receive.arrived = message->arrived;
  if (message->rendezvous) {
    receive.status = {message->source, message->tag, message->bytes};
    fetch(message->source, message->sender_id, message->address, receive, message->context);
    return;
  }
  release(*message);
  if (!message->complete) {
    // Still arriving: what is here moves to the receive's buffer, the rest lands there when it is complete.
    message->receive = &receive;
    const auto is_of_message = [&](const auto& inbound) { return inbound->unexpected == message.get(); };
    [[maybe_unused]] const bool arriving = std::ranges::any_of(inbound_of(message->source), is_of_message);
    assert(arriving && "an incomplete message has an inbound record");
    (void)message.release();  // `finish` deletes it
    return;
  }
  copy_bytes(receive.data, message->data.get(), kept);
  complete(receive, message->source, message->tag, message->bytes);
  if (message->own_send != nullptr) message->own_send->complete = true;
  if (message->owed != 0) owe_credit(message->source, message->context, message->owed);
}

/// Gets an announced message: out of its sender's memory, or else from the sender, when its pieces have a place.
void Receiver::fetch(Rank source, std::uint32_t sender_id, std::uint64_t address, Operation& receive,
                     Context context) {
  const Tag tag = receive.status.tag;
  const std::size_t bytes = receive.status.bytes;
  MemoryPath* memory = peers_[source].route(context).memory;
  const auto exchange = sender_.has_announced() ? MemoryPath::Exchange::both_ways : MemoryPath::Exchange::one_way;
  const std::size_t kept = std::min(bytes, receive.bytes);
  if (address != 0 && memory != nullptr && kept != 0 &&
      memory->pull(source, address, {receive.data, kept}, exchange)) {
    outbox_.send_control(source, control_of(PacketKind::pulled, context, sender_id));
    return complete(receive, source, tag, bytes);
  }
  set_landing(add_inbound({source, tag, context, sender_id, bytes, bytes, 0, nullptr, &receive, nullptr}), receive);
  if (context == packed_context) ++peers_[source].grants_given;
  outbox_.send_control(source, control_of(PacketKind::grant, context, sender_id));
}

net::Landing Receiver::begin_message(Rank source, const Envelope& envelope) {
  check_bounds(source, envelope, envelope.message_bytes);
  const bool invited = envelope.kind == PacketKind::invited;
  if (invited &&
      !peers_[source].given.use(envelope.invitation, envelope.context, envelope.tag, envelope.message_bytes)) {
    throw RunError("a message from rank " + std::to_string(source) + " names an invitation that was not given");
  }
  return landing_of(open_message(source, envelope, invited), envelope);
}

/// A place for a message whose pieces come, or are coming, without being asked for: by an invitation, or for credit.
Receiver::Inbound& Receiver::open_message(Rank source, const Envelope& envelope, bool invited) {
  const std::size_t bytes = envelope.message_bytes;
  const std::size_t owed = invited ? 0 : sizeof(Envelope) + bytes;
  Operation* receive = matcher_.take_posted(source, envelope.tag, envelope.context);
  if (receive != nullptr && !fits(*receive, bytes)) refuse_pieces(source, envelope, owed, *receive);
  Inbound& inbound = add_inbound(
      {source, envelope.tag, envelope.context, envelope.sender_id, bytes, bytes, owed, nullptr, receive, nullptr});
  if (receive != nullptr) {
    set_landing(inbound, *receive);
    receive->arrived = ticks_now();
  } else {
    inbound.unexpected = &keep(source, envelope, owed);
    inbound.unexpected->arrived = ticks_now();
    inbound.data = inbound.unexpected->data.get();
    inbound.kept = bytes;
    inbound.unexpected->invited = invited;
    if (invited) peers_[source].given.add_waiting();
  }
  return inbound;
}

void Receiver::send_invitation(const Operation& receive) {
  const Invitation& invitation = peers_[receive.peer].given.add(receive.context, receive.tag, receive.bytes);
  Envelope envelope = control_of(PacketKind::invite, invitation.context);
  envelope.invitation = invitation.number;
  envelope.tag = invitation.tag;
  envelope.message_bytes = invitation.bytes;
  outbox_.send_control(receive.peer, envelope);
}

/// Makes room for a message that has no receive yet.
Unexpected& Receiver::keep(Rank source, const Envelope& envelope, std::size_t owed) {
  auto message = described(source, envelope);
  message->data = std::make_unique_for_overwrite<std::byte[]>(message->bytes);
  message->owed = owed;
  unexpected_bytes_ += message->bytes;
  Unexpected& kept = *message;
  matcher_.add_unexpected(std::move(message));
  return kept;
}

/// A message that was kept is not any more.
void Receiver::release(const Unexpected& message) {
  unexpected_bytes_ -= message.bytes;
  if (message.invited) peers_[message.source].given.remove_waiting();
}

void Receiver::return_credit(Rank source, Context context) {
  outbox_.send_control(source, control_of(PacketKind::credit, context));
}

void Receiver::keep_whole(Rank source, const Envelope& envelope, const std::byte* payload) {
  Unexpected& message = keep(source, envelope, sizeof(Envelope) + envelope.payload_bytes);
  message.complete = true;
  copy_native(envelope, payload, message.data.get(), envelope.payload_bytes);
}

net::Landing Receiver::begin_piece(Rank source, const Envelope& envelope) {
  for (auto& inbound : inbound_of(source)) {
    // Senders use their numbers again; what comes by another transport, with another context, may be late. Where a
    // new message has the number of one that still lacks pieces, since its announcement has passed them, the older is
    // meant: pieces do not pass each other.
    if (inbound->sender_id != envelope.sender_id || inbound->context != envelope.context) continue;
    check_bounds(source, envelope, inbound->bytes);
    return landing_of(*inbound, envelope);
  }
  return {};
}

void Receiver::announced(Rank source, const Envelope& envelope) {
  if (Peer::may_invite(envelope.context) &&
      peers_[source].given.meets(envelope.invitation, envelope.context, envelope.tag, envelope.message_bytes,
                                 envelope.synchronous != 0)) {
    (void)open_message(source, envelope, true);
    return;
  }
  Operation* const receive = matcher_.take_posted(source, envelope.tag, envelope.context);
  if (receive != nullptr && fits(*receive, envelope.message_bytes)) {
    receive->arrived = ticks_now();
    receive->status = {source, envelope.tag, static_cast<std::size_t>(envelope.message_bytes)};
    fetch(source, envelope.sender_id, envelope.offset, *receive, envelope.context);
    return;
  }
  auto message = described(source, envelope);
  message->arrived = ticks_now();
  message->address = envelope.offset;
  message->rendezvous = true;
  if (receive != nullptr) return take_over(std::move(message), *receive);  // which it does not fit
  matcher_.add_unexpected(std::move(message));
}

void Receiver::end_piece(const Envelope& envelope, const net::Landing& landing) {
  Inbound& inbound = *static_cast<Inbound*>(landing.token);
  if (std::byte* const place = landing.place()) {
    if (envelope.payload_order != Envelope::native_order) {
      swap_elements({place, envelope.payload_bytes}, envelope.element_bytes);
    }
    if (place == inbound.overlong.get()) {
      copy_bytes(inbound.data + envelope.offset, place, inbound.kept - envelope.offset);
      inbound.overlong.reset();
    }
  }
  inbound.missing -= envelope.payload_bytes;
  if (inbound.missing == 0) finish(inbound);
}

void Receiver::finish(Inbound& inbound) {
  InboundList& list = inbound_of(inbound.source);
  const auto record = std::ranges::find_if(list, [&](const auto& entry) { return entry.get() == &inbound; });
  std::unique_ptr<Inbound> done = std::move(*record);
  list.erase(record);
  Operation* receive = done->receive;
  if (done->unexpected != nullptr) {
    done->unexpected->complete = true;
    receive = done->unexpected->receive;
    if (receive != nullptr) {
      // The receive was posted while the message was arriving, and has taken the record over.
      const std::unique_ptr<Unexpected> message(done->unexpected);
      const std::size_t kept = std::min(done->bytes, receive->bytes);
      copy_bytes(receive->data, message->data.get(), kept);
    }
  }
  if (receive != nullptr) {
    complete(*receive, done->source, done->tag, done->bytes);
    owe_credit(done->source, done->context, done->owed);
  }
  done->overlong.reset();
  inbound_pool_.push_back(std::move(done));
}

void Receiver::forget(Rank source, bool clean) {
  (void)matcher_.take_unexpected_if(source, [](const Unexpected& message) { return message.rendezvous; });
  if (clean) return;
  std::vector<Operation*> lost = drop_inbound(source);
  for (const auto& message : matcher_.take_unexpected_if(source, [](const auto& each) { return !each.complete; })) {
    release(*message);
  }
  matcher_.abandon(source);
  std::ranges::sort(lost, {}, &Operation::serial);
  for (Operation* receive : lost) start_again(*receive);
}

/// What was arriving. Returns the receives that it was for.
std::vector<Operation*> Receiver::drop_inbound(Rank source) {
  std::vector<Operation*> lost;
  for (auto& inbound : std::exchange(inbound_of(source), {})) {
    Operation* receive = inbound->receive;
    if (inbound->unexpected != nullptr && inbound->unexpected->receive != nullptr) {
      const std::unique_ptr<Unexpected> message(inbound->unexpected);
      receive = message->receive;
    }
    if (receive != nullptr && receive != &nobody_) lost.push_back(receive);
    inbound_pool_.push_back(std::move(inbound));
  }
  return lost;
}

void Receiver::start_again(Operation& receive) {
  receive.arrived = 0;
  if (peers_.is_dead(receive.peer)) {
    Matcher::abandon(receive);
  } else if (auto message = matcher_.take_unexpected(receive.peer, receive.tag, receive.context)) {
    if (fits(receive, message->bytes)) {
      take_over(std::move(message), receive);
    } else {
      lose(std::move(message), receive);  // who waits for it is told; others start again after it
    }
  } else {
    matcher_.repost(receive);
  }
}

}  // namespace nasvm::engine
