#include "vm/engine/engine.hpp"

#include <sched.h>

#include <algorithm>
#include <cassert>
#include <cstring>
#include <new>
#include <string>
#include <utility>

#include "vm/status.hpp"

namespace nasvm {
namespace {

/// A look at everything costs a system call, so most looks are at the awaited peer alone (the paper's skip_poll). How
/// many adapts: the number doubles when a look at everything has found nothing, and halves when it has. It is limited
/// by `most_skip` when all peers are reached through memory, so that descriptors bring hardly anything, by
/// `most_skip_mixed` when some are not, and by `most_skip_sockets` while the awaited one is not: then each look is a
/// system call itself.
constexpr unsigned least_skip = 8;
constexpr unsigned most_skip_sockets = 64;
constexpr unsigned most_skip_mixed = 128;
constexpr unsigned most_skip = 4096;

/// Checks that a packet's payload lies inside its message of `bytes`.
void check_bounds(Rank source, const Envelope& envelope, std::size_t bytes) {
  if (envelope.offset <= bytes && envelope.payload_bytes <= bytes - envelope.offset) return;
  throw RunError("a packet from rank " + std::to_string(source) + " lies outside its message");
}

}  // namespace

/// A send in progress. `packet` is its one packet under way; a long message sends its pieces one after the other.
struct Engine::Send {
  net::Packet packet;
  Operation* operation = nullptr;
  Transport* transport = nullptr;
  Tid destination;  ///< the peer's, or a group's
  std::uint32_t id = 0;
  std::size_t sent = 0;     ///< bytes of the message that have been handed to the transport
  bool rendezvous = false;  ///< announced and not yet granted, or granted and being sent
  int awaited_grants = 0;
};

/// A message that is arriving in pieces, or whose first (and often only) piece is arriving.
struct Engine::Inbound {
  Rank source = any_source;
  Tag tag = any_tag;
  Context context = 0;
  std::uint32_t sender_id = 0;
  std::size_t bytes = 0;
  std::size_t missing = 0;
  std::size_t owed = 0;  ///< credit to return when the message is taken in
  std::byte* data = nullptr;
  Operation* receive = nullptr;      ///< a posted receive, or
  Unexpected* unexpected = nullptr;  ///< a message without one
};

struct Engine::Peer {
  Transport* comm = nullptr;
  Transport* routed = nullptr;
  Transport* direct = nullptr;
  std::size_t credit = 0;                    ///< eager bytes that may still be sent
  std::size_t credit_owed = 0;               ///< taken in and not yet returned
  std::size_t eager_bytes = 0;               ///< longest message that goes without asking
  std::size_t pull_from = Transport::never;  ///< Comm's messages of this length on are fetched by the peer
  Envelope envelope;                         ///< of messages to it, as far as they are all the same
  std::vector<std::unique_ptr<Inbound>> inbound;
};

/// What is waited for: messages of one peer (or any), and where to look for them most of the time.
struct Engine::Target {
  Transport* transport = nullptr;  ///< nullptr: look at everything each time
  Rank peer = any_source;
  unsigned skip = 0;     ///< 0: adaptive
  bool sending = false;  ///< a send is waited for
};

Engine::Engine(net::Poller& poller, Options options)
    : poller_(poller),
      options_(options),
      patience_(options.patience),
      skip_(options.skip != 0 ? options.skip : least_skip) {}
Engine::~Engine() = default;

int Engine::size() const { return static_cast<int>(peers_.size()); }

void Engine::meet(const std::vector<Member>& members, Rank rank) {
  rank_ = rank;
  peers_ = std::vector<Peer>(members.size());
  matcher_ = std::make_unique<Matcher>(static_cast<int>(members.size()));
  for (const Member& member : members) {
    const auto host = static_cast<std::size_t>(member.tid.host());
    const auto local = static_cast<std::size_t>(member.tid.local());
    if (rank_of_tid_.size() <= host) rank_of_tid_.resize(host + 1);
    if (rank_of_tid_[host].size() <= local) rank_of_tid_[host].resize(local + 1, any_source);
    rank_of_tid_[host][local] = static_cast<Rank>(tids_.size());
    tids_.push_back(member.tid);
  }
  for (std::size_t i = 0; i < peers_.size(); ++i) {
    peers_[i].credit = options_.credit_bytes;
    peers_[i].eager_bytes = options_.eager_bytes;
    peers_[i].envelope.source = tids_[static_cast<std::size_t>(rank_)].value;
    peers_[i].envelope.destination = tids_[i].value;
  }
}

void Engine::listen_to(Transport& transport) {
  if (transport.polls_memory()) memory_.push_back(&transport);
}

void Engine::set_patience(const Patience::Options& options) {
  patience_ = Patience(options, [this] { return run_delay_.total(); });
}

void Engine::set_skip(unsigned looks) {
  options_.skip = looks;
  skip_ = looks != 0 ? looks : least_skip;
}

void Engine::set_eager_bytes(Rank peer, std::size_t bytes) {
  peers_[static_cast<std::size_t>(peer)].eager_bytes = bytes;
}

void Engine::set_routes(Rank peer, Transport& comm, Transport& routed, Transport& direct) {
  Peer& entry = peers_[static_cast<std::size_t>(peer)];
  entry.comm = &comm;
  entry.routed = &routed;
  entry.direct = &direct;
  if (peer == rank_) return;
  entry.pull_from = comm.pull_from(peer);
  if (comm.polls_memory()) {
    near_ = &comm;
  } else {
    all_near_ = false;
  }
}

Transport& Engine::route(Rank peer, Context context) const {
  const Peer& entry = peers_[static_cast<std::size_t>(peer)];
  if (context == routed_context) return *entry.routed;
  return context == direct_context ? *entry.direct : *entry.comm;
}

std::string_view Engine::method(Rank peer) const {
  return peer == rank_ ? "self" : peers_[static_cast<std::size_t>(peer)].comm->name();
}

// --- sending ----------------------------------------------------------------------------------------------

Engine::Send& Engine::take_send() {
  if (free_sends_.empty()) {
    sends_.push_back(std::make_unique<Send>());
    sends_.back()->id = static_cast<std::uint32_t>(sends_.size());
    free_sends_.push_back(sends_.back()->id);
  }
  Send& send = *sends_[free_sends_.back() - 1];
  free_sends_.pop_back();
  send.sent = 0;
  send.rendezvous = false;
  send.awaited_grants = 0;
  return send;
}

void Engine::give_back(Send& send) {
  send.operation = nullptr;
  free_sends_.push_back(send.id);
}

void Engine::start(Operation& operation) {
  if (operation.kind == Operation::Kind::receive) {
    start_receive(operation);
  } else {
    start_send(operation);
  }
}

void Engine::start_send(Operation& operation) {
  if (operation.peer == rank_) return send_to_self(operation);
  Peer& peer = peers_[static_cast<std::size_t>(operation.peer)];
  Transport& transport = route(operation.peer, operation.context);
  const bool at_once = may_go_at_once(peer, operation);
  if (at_once && send_now(peer, transport, operation)) return;
  Send& send = take_send();
  send.operation = &operation;
  send.transport = &transport;
  send.destination = tids_[static_cast<std::size_t>(operation.peer)];
  operation.state = &send;
  if (at_once) {
    peer.credit -= eager_cost(operation);
    return send_piece(send, PacketKind::eager, 0);
  }
  send.rendezvous = true;
  send.awaited_grants = 1;
  ++announced_;
  control(operation.peer, operation.context, PacketKind::request, send.id, operation.bytes);
}

/// The way of short messages through memory: one copy, no record, and the operation is complete.
bool Engine::send_now(Peer& peer, Transport& transport, Operation& operation) {
  Envelope& envelope = peer.envelope;
  envelope.element_bytes = operation.element_bytes;
  envelope.context = operation.context;
  envelope.tag = operation.tag;
  envelope.credit = static_cast<std::uint32_t>(peer.credit_owed);
  envelope.payload_bytes = static_cast<std::uint32_t>(operation.bytes);
  envelope.message_bytes = operation.bytes;
  if (!transport.send_now(operation.peer, envelope, operation.data)) return false;
  peer.credit -= eager_cost(operation);
  peer.credit_owed = 0;
  operation.complete = true;
  return true;
}

/// What a message uses of the window.
std::size_t Engine::eager_cost(const Operation& operation) { return sizeof(Envelope) + operation.bytes; }

/// A short message for which the receiver has no room left is announced like a long one: so nothing ever waits behind
/// messages that nobody receives, and what is announced takes no memory but a record at either end.
bool Engine::may_go_at_once(const Peer& peer, const Operation& operation) const {
  return operation.bytes <= peer.eager_bytes && eager_cost(operation) <= peer.credit &&
         (operation.bytes < peer.pull_from || operation.context <= direct_context);
}

void Engine::send_piece(Send& send, PacketKind kind, std::size_t offset) {
  const Operation& operation = *send.operation;
  const std::size_t piece = std::min({operation.bytes - offset, send.transport->max_payload(), max_packet_payload});
  Envelope& envelope = send.packet.envelope;
  envelope = {};
  envelope.kind = kind;
  envelope.element_bytes = operation.element_bytes;
  envelope.source = tids_[static_cast<std::size_t>(rank_)].value;
  envelope.destination = send.destination.value;
  envelope.context = operation.context;
  envelope.tag = operation.tag;
  envelope.sender_id = send.id;
  envelope.payload_bytes = static_cast<std::uint32_t>(piece);
  envelope.message_bytes = operation.bytes;
  envelope.offset = offset;
  if (operation.peer >= 0) {
    envelope.credit =
        static_cast<std::uint32_t>(std::exchange(peers_[static_cast<std::size_t>(operation.peer)].credit_owed, 0));
  }
  send.packet.payload = operation.data + offset;
  send.packet.owner = &send;
  send.sent = offset + piece;
  ++packets_out_;
  send.transport->send(operation.peer, send.packet);
}

void Engine::packet_sent(net::Packet& packet) {
  --packets_out_;
  if (packet.owner == nullptr) {
    control_pool_.emplace_back(&packet);
  } else {
    piece_sent(*static_cast<Send*>(packet.owner));
  }
}

void Engine::piece_sent(Send& send) {
  Operation& operation = *send.operation;
  if (send.sent < operation.bytes) return send_piece(send, PacketKind::data, send.sent);
  operation.complete = true;
  give_back(send);
}

/// The announced send of that number, if it still waits for an answer.
Engine::Send* Engine::find_waiting(std::uint32_t sender_id) {
  if (sender_id == 0 || sender_id > sends_.size()) return nullptr;
  Send& send = *sends_[sender_id - 1];
  return send.operation == nullptr || send.awaited_grants == 0 ? nullptr : &send;
}

void Engine::granted(std::uint32_t sender_id) {
  Send* send = find_waiting(sender_id);
  if (send == nullptr) return;
  if (--send->awaited_grants != 0 || send->operation->peer < 0) return;
  --announced_;
  send_piece(*send, PacketKind::data, 0);
}

/// The receiver has the message already.
void Engine::pulled(std::uint32_t sender_id) {
  Send* send = find_waiting(sender_id);
  if (send == nullptr) return;
  --announced_;
  send->operation->complete = true;
  give_back(*send);
}

void Engine::control(Rank peer, Context context, PacketKind kind, std::uint32_t sender_id,
                     std::uint64_t message_bytes) {
  std::unique_ptr<net::Packet> packet;
  if (control_pool_.empty()) {
    packet = std::make_unique<net::Packet>();
  } else {
    packet = std::move(control_pool_.back());
    control_pool_.pop_back();
  }
  Envelope& envelope = packet->envelope;
  envelope = {};
  envelope.kind = kind;
  envelope.source = tids_[static_cast<std::size_t>(rank_)].value;
  envelope.destination = tids_[static_cast<std::size_t>(peer)].value;
  envelope.context = context;
  envelope.sender_id = sender_id;
  envelope.message_bytes = message_bytes;
  envelope.credit = static_cast<std::uint32_t>(std::exchange(peers_[static_cast<std::size_t>(peer)].credit_owed, 0));
  if (kind == PacketKind::request) {
    const Operation& operation = *sends_[sender_id - 1]->operation;
    envelope.tag = operation.tag;
    envelope.element_bytes = operation.element_bytes;
    const bool may_pull = context > direct_context && operation.bytes != 0 &&
                          peers_[static_cast<std::size_t>(peer)].pull_from != Transport::never;
    if (may_pull) envelope.offset = reinterpret_cast<std::uintptr_t>(operation.data);
  }
  packet->payload = nullptr;
  packet->owner = nullptr;
  ++packets_out_;
  route(peer, context).send(peer, *packet.release());
}

void Engine::send_to_self(Operation& operation) {
  if (Operation* receive = matcher_->take_posted(rank_, operation.tag, operation.context)) {
    check_length(*receive, rank_, operation.tag, operation.bytes);
    if (operation.bytes != 0) std::memcpy(receive->data, operation.data, operation.bytes);
    complete_receive(*receive, rank_, operation.tag, operation.bytes);
  } else {
    auto message = std::make_unique<Unexpected>();
    message->source = rank_;
    message->tag = operation.tag;
    message->context = operation.context;
    message->bytes = operation.bytes;
    message->complete = true;
    message->arrived = ticks_now();
    message->data = std::make_unique_for_overwrite<std::byte[]>(operation.bytes);
    if (operation.bytes != 0) std::memcpy(message->data.get(), operation.data, operation.bytes);
    unexpected_bytes_ += message->bytes;
    matcher_->add_unexpected(std::move(message));
  }
  operation.complete = true;
}

void Engine::multicast(Operation& operation, std::span<const Rank> receivers, Tid group, void (*open_group)(void*),
                       void* argument) {
  Send& send = take_send();
  send.operation = &operation;
  send.transport = peers_[static_cast<std::size_t>(rank_)].routed;
  send.destination = group;
  operation.peer = any_source;
  operation.state = &send;
  const auto peer_of = [&](Rank rank) -> Peer& { return peers_[static_cast<std::size_t>(rank)]; };
  send.rendezvous =
      !std::ranges::all_of(receivers, [&](Rank rank) { return may_go_at_once(peer_of(rank), operation); });
  if (send.rendezvous) {
    send.awaited_grants = static_cast<int>(receivers.size());
    for (const Rank rank : receivers) control(rank, operation.context, PacketKind::request, send.id, operation.bytes);
    wait_until(Target{}, [&] { return send.awaited_grants == 0; });
  } else {
    for (const Rank rank : receivers) peer_of(rank).credit -= eager_cost(operation);
  }
  open_group(argument);
  send_piece(send, send.rendezvous ? PacketKind::data : PacketKind::eager, 0);
  wait_until(Target{}, [&] { return operation.complete; });
}

// --- receiving --------------------------------------------------------------------------------------------

void Engine::check_length(const Operation& receive, Rank source, Tag tag, std::size_t bytes) const {
  if (bytes <= receive.bytes) return;
  throw RunError("a message of " + std::to_string(bytes) + " bytes from rank " + std::to_string(source) + " (tag " +
                 std::to_string(tag) + ") does not fit its receive buffer of " + std::to_string(receive.bytes) +
                 " bytes");
}

void Engine::complete_receive(Operation& receive, Rank source, Tag tag, std::size_t bytes) {
  receive.status = {source, tag, bytes};
  if (receive.arrived == 0) receive.arrived = ticks_now();
  receive.complete = true;
}

void Engine::owe_credit(Rank source, Context context, std::size_t bytes) {
  Peer& peer = peers_[static_cast<std::size_t>(source)];
  peer.credit_owed += bytes;
  // Mostly it rides on packets that go there anyway; in one-way traffic it needs one of its own now and then.
  if (peer.credit_owed >= options_.credit_bytes / 2) control(source, context, PacketKind::credit, 0);
}

Engine::Inbound& Engine::take_inbound() {
  if (inbound_pool_.empty()) inbound_pool_.push_back(std::make_unique<Inbound>());
  return *inbound_pool_.back();
}

void Engine::start_receive(Operation& operation) {
  if (auto message = matcher_->take_unexpected(operation.peer, operation.tag, operation.context)) {
    take_over(std::move(message), operation);
  } else {
    matcher_->post(operation);
  }
}

/// A receive has matched a message that came before it.
void Engine::take_over(std::unique_ptr<Unexpected> message, Operation& receive) {
  check_length(receive, message->source, message->tag, message->bytes);
  receive.arrived = message->arrived;
  if (message->rendezvous) {
    receive.status = {message->source, message->tag, message->bytes};
    fetch(message->source, message->sender_id, message->address, receive, message->context);
    return;
  }
  unexpected_bytes_ -= message->bytes;
  if (!message->complete) {
    // Still arriving: what is here moves to the receive's buffer, the rest lands there when it is complete.
    message->receive = &receive;
    for (auto& inbound : peers_[static_cast<std::size_t>(message->source)].inbound) {
      if (inbound->unexpected == message.get()) {
        (void)message.release();  // finish_inbound deletes it
        return;
      }
    }
    assert(false && "an incomplete message has an inbound record");
  }
  if (message->bytes != 0) std::memcpy(receive.data, message->data.get(), message->bytes);
  complete_receive(receive, message->source, message->tag, message->bytes);
  if (message->source != rank_) owe_credit(message->source, message->context, sizeof(Envelope) + message->bytes);
}

/// Gets an announced message: out of its sender's memory, or else from the sender.
void Engine::fetch(Rank source, std::uint32_t sender_id, std::uint64_t address, Operation& receive, Context context) {
  const auto exchange = announced_ != 0 ? Transport::Exchange::both_ways : Transport::Exchange::one_way;
  const bool there =
      address != 0 && route(source, context).pull(source, address, {receive.data, receive.status.bytes}, exchange);
  if (!there) return expect(source, sender_id, receive, context);
  control(source, context, PacketKind::pulled, sender_id);
  complete_receive(receive, source, receive.status.tag, receive.status.bytes);
}

/// Prepares for the pieces of an announced message and lets its sender go on.
void Engine::expect(Rank source, std::uint32_t sender_id, Operation& receive, Context context) {
  Peer& peer = peers_[static_cast<std::size_t>(source)];
  (void)take_inbound();
  std::unique_ptr<Inbound> inbound = std::move(inbound_pool_.back());
  inbound_pool_.pop_back();
  *inbound = {source, receive.status.tag, context,  sender_id, receive.status.bytes, receive.status.bytes,
              0,      receive.data,       &receive, nullptr};
  peer.inbound.push_back(std::move(inbound));
  control(source, context, PacketKind::grant, sender_id);
}

/// any_source: it is not one of the program's.
Rank Engine::rank_of(Tid tid) const {
  const auto host = static_cast<std::size_t>(tid.host());
  const auto local = static_cast<std::size_t>(tid.local());
  return host < rank_of_tid_.size() && local < rank_of_tid_[host].size() ? rank_of_tid_[host][local] : any_source;
}

/// The way of short messages that are in memory: straight to the posted receive.
void Engine::take_packet(const Envelope& envelope, const std::byte* payload) {
  if (envelope.kind != PacketKind::eager || envelope.payload_bytes != envelope.message_bytes) {
    return PacketHandler::take_packet(envelope, payload);
  }
  const Rank source = rank_of(Tid{envelope.source});
  if (source == any_source) return;
  peers_[static_cast<std::size_t>(source)].credit += envelope.credit;
  const std::size_t bytes = envelope.payload_bytes;
  Operation* receive = matcher_->take_posted(source, envelope.tag, envelope.context);
  std::byte* into = nullptr;
  if (receive != nullptr) {
    check_length(*receive, source, envelope.tag, bytes);
    into = receive->data;
  } else {
    Unexpected& message = keep(source, envelope);
    message.complete = true;
    into = message.data.get();
  }
  if (bytes != 0) std::memcpy(into, payload, bytes);
  if (envelope.payload_order != Envelope::native_order) swap_elements({into, bytes}, envelope.element_bytes);
  if (receive == nullptr) return;
  complete_receive(*receive, source, envelope.tag, bytes);
  owe_credit(source, envelope.context, sizeof(Envelope) + bytes);
}

net::Landing Engine::begin_packet(const Envelope& envelope) {
  const Rank source = rank_of(Tid{envelope.source});
  if (source == any_source) return {};
  Peer& peer = peers_[static_cast<std::size_t>(source)];
  if (envelope.credit != 0) {
    peer.credit += envelope.credit;
  }
  switch (envelope.kind) {
    case PacketKind::eager:
      return begin_message(source, envelope);
    case PacketKind::data:
      return begin_piece(source, envelope);
    case PacketKind::request:
      announce(source, envelope);
      return {};
    case PacketKind::grant:
      granted(envelope.sender_id);
      return {};
    case PacketKind::pulled:
      pulled(envelope.sender_id);
      return {};
    default:
      return {};
  }
}

net::Landing Engine::begin_message(Rank source, const Envelope& envelope) {
  const std::size_t bytes = envelope.message_bytes;
  check_bounds(source, envelope, bytes);
  Operation* receive = matcher_->take_posted(source, envelope.tag, envelope.context);
  (void)take_inbound();
  std::unique_ptr<Inbound> inbound = std::move(inbound_pool_.back());
  inbound_pool_.pop_back();
  *inbound = {source,  envelope.tag, envelope.context, envelope.sender_id, bytes, bytes, sizeof(Envelope) + bytes,
              nullptr, receive,      nullptr};
  if (receive != nullptr) {
    check_length(*receive, source, envelope.tag, bytes);
    receive->arrived = ticks_now();
    inbound->data = receive->data;
  } else {
    inbound->unexpected = &keep(source, envelope);
    inbound->data = inbound->unexpected->data.get();
  }
  Inbound* token = inbound.get();
  peers_[static_cast<std::size_t>(source)].inbound.push_back(std::move(inbound));
  return {net::Landing::Verdict::take, token->data, token};
}

namespace {

/// A message that has no receive yet, as its first packet describes it.
std::unique_ptr<Unexpected> described(Rank source, const Envelope& envelope) {
  auto message = std::make_unique<Unexpected>();
  message->source = source;
  message->tag = envelope.tag;
  message->context = envelope.context;
  message->bytes = envelope.message_bytes;
  message->sender_id = envelope.sender_id;
  message->arrived = ticks_now();
  return message;
}

}  // namespace

/// Makes room for a message that has no receive yet.
Unexpected& Engine::keep(Rank source, const Envelope& envelope) {
  auto message = described(source, envelope);
  message->data = std::make_unique_for_overwrite<std::byte[]>(message->bytes);
  unexpected_bytes_ += message->bytes;
  Unexpected& kept = *message;
  matcher_->add_unexpected(std::move(message));
  return kept;
}

net::Landing Engine::begin_piece(Rank source, const Envelope& envelope) {
  for (auto& inbound : peers_[static_cast<std::size_t>(source)].inbound) {
    // Senders use their numbers again; what comes by another transport, with another context, may be late.
    if (inbound->sender_id != envelope.sender_id || inbound->context != envelope.context) continue;
    check_bounds(source, envelope, inbound->bytes);
    return {net::Landing::Verdict::take, inbound->data + envelope.offset, inbound.get()};
  }
  return {};
}

void Engine::announce(Rank source, const Envelope& envelope) {
  if (Operation* receive = matcher_->take_posted(source, envelope.tag, envelope.context)) {
    check_length(*receive, source, envelope.tag, envelope.message_bytes);
    receive->arrived = ticks_now();
    receive->status = {source, envelope.tag, static_cast<std::size_t>(envelope.message_bytes)};
    fetch(source, envelope.sender_id, envelope.offset, *receive, envelope.context);
    return;
  }
  auto message = described(source, envelope);
  message->address = envelope.offset;
  message->rendezvous = true;
  matcher_->add_unexpected(std::move(message));
}

void Engine::end_packet(const Envelope& envelope, const net::Landing& landing) {
  if (landing.token == nullptr) return;
  Inbound& inbound = *static_cast<Inbound*>(landing.token);
  if (envelope.payload_order != Envelope::native_order) {
    swap_elements({landing.data, envelope.payload_bytes}, envelope.element_bytes);
  }
  inbound.missing -= envelope.payload_bytes;
  if (inbound.missing == 0) finish_inbound(peers_[static_cast<std::size_t>(inbound.source)], inbound);
}

void Engine::finish_inbound(Peer& peer, Inbound& inbound) {
  const auto record = std::ranges::find_if(peer.inbound, [&](const auto& entry) { return entry.get() == &inbound; });
  std::unique_ptr<Inbound> done = std::move(*record);
  peer.inbound.erase(record);
  Operation* receive = done->receive;
  if (done->unexpected != nullptr) {
    done->unexpected->complete = true;
    receive = done->unexpected->receive;
    if (receive != nullptr) {
      // The receive was posted while the message was arriving, and has taken the record over.
      const std::unique_ptr<Unexpected> message(done->unexpected);
      if (done->bytes != 0) std::memcpy(receive->data, message->data.get(), done->bytes);
    }
  }
  if (receive != nullptr) {
    complete_receive(*receive, done->source, done->tag, done->bytes);
    owe_credit(done->source, done->context, done->owed);
  }
  inbound_pool_.push_back(std::move(done));
}

bool Engine::cancel(Operation& receive) { return matcher_->cancel(receive); }

// --- waiting ----------------------------------------------------------------------------------------------

/// Where to look for what completes an operation.
Engine::Target Engine::target_of(const Operation& operation) const {
  if (operation.kind == Operation::Kind::receive) return target_of(operation.peer, operation.context);
  if (operation.peer < 0 || operation.peer == rank_) return {};
  // A send waits for its receiver, or for room to leave: through memory both come from the peer, else from the
  // poller.
  Transport& transport = route(operation.peer, operation.context);
  return transport.polls_memory() ? Target{&transport, operation.peer, options_.skip, true} : Target{};
}

Engine::Target Engine::target_of(Rank source, Context context) const {
  if (source == any_source) return context > direct_context ? Target{near_, any_source, options_.skip} : Target{};
  if (source == rank_) return {};
  Transport& transport = route(source, context);
  const bool fixed = transport.polls_memory() || options_.skip != 0;
  return {&transport, source, fixed ? options_.skip : std::min(skip_, most_skip_sockets)};
}

bool Engine::poll_once(const Target& target) {
  if (target.transport == nullptr || ++polls_ >= (target.skip != 0 ? target.skip : skip_)) return look_everywhere();
  return target.transport->poll(target.peer);
}

bool Engine::look_everywhere() {
  polls_ = 0;
  bool moved = false;
  for (Transport* transport : memory_) moved = transport->poll(any_source) || moved;
  const bool others = poller_.wait(std::chrono::nanoseconds(0)) > 0;
  const unsigned most = all_near_ ? most_skip : most_skip_mixed;
  skip_ = others ? std::max(skip_ / 2, least_skip) : std::min(skip_ * 2, most);
  return moved || others;
}

/// Until something has come, or may have.
void Engine::sleep() {
  for (std::size_t i = 0; i < memory_.size(); ++i) {
    if (memory_[i]->before_sleep()) continue;
    while (i-- > 0) memory_[i]->after_sleep();
    return;
  }
  polls_ = 0;
  (void)poller_.wait(std::chrono::nanoseconds(-1));
  for (Transport* transport : memory_) transport->after_sleep();
}

/// Tells the transports through memory that this task waits for a send, until the end of the wait.
class Engine::Waiting {
 public:
  explicit Waiting(const std::vector<Transport*>& transports) : transports_(transports) {}
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;
  ~Waiting() {
    if (!told_) return;
    for (Transport* transport : transports_) transport->end_waiting();
  }
  void tell() {
    if (std::exchange(told_, true)) return;
    for (Transport* transport : transports_) transport->begin_waiting();
  }

 private:
  const std::vector<Transport*>& transports_;
  bool told_ = false;
};

template <typename Done>
void Engine::wait_until(const Target& target, Done done) {
  if (done()) return;
  // Never asleep before one cheap look: the message is often there already.
  (void)poll_once(target);
  Waiting waiting(memory_);
  for (Patience::Advice advice = patience_.begin(); advice != Patience::Advice::sleep;) {
    bool moved = false;
    for (unsigned looks = 0; looks < patience_.looks(); ++looks) {
      if (done()) return;
      moved = poll_once(target) || moved;
    }
    if (done()) return;
    if (target.sending) waiting.tell();
    advice = patience_.advise(moved, ticks_now());
    if (patience_.is_disturbed() && on_disturbance_) std::exchange(on_disturbance_, nullptr)();
    if (advice == Patience::Advice::yield) ::sched_yield();
  }
  while (!done()) {
    sleep();
    // Packets through memory may go on to come before each sleep; descriptors must get their turn.
    if (++polls_ >= least_skip && !done()) (void)look_everywhere();
  }
}

void Engine::progress() {
  // While all peers are reached through memory, descriptors bring hardly anything.
  if (near_ != nullptr && all_near_ && ++polls_ < least_skip) {
    (void)near_->poll(any_source);
  } else {
    (void)look_everywhere();
  }
}

void Engine::wait_any(std::span<Operation* const> operations) {
  if (operations.size() == 1) {
    const Operation& only = *operations[0];
    return wait_until(target_of(only), [&] { return only.complete; });
  }
  const auto complete = [](const Operation* operation) { return operation != nullptr && operation->complete; };
  wait_until(Target{near_, any_source, options_.skip}, [&] { return std::ranges::any_of(operations, complete); });
}

bool Engine::probe(Rank source, Tag tag, Context context, Status& found, bool block) {
  const auto look = [&] {
    const Unexpected* message = matcher_->find_unexpected(source, tag, context);
    if (message != nullptr) found = {message->source, message->tag, message->bytes};
    return message != nullptr;
  };
  if (!block) {
    if (look()) return true;
    progress();
    return look();
  }
  wait_until(target_of(source, context), look);
  return true;
}

void Engine::flush() {
  wait_until(Target{}, [&] { return packets_out_ == 0; });
}

}  // namespace nasvm
