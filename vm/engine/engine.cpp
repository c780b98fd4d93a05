#include "vm/engine/engine.hpp"

#include <algorithm>

namespace nasvm {

Engine::Engine(net::Poller& poller, const Options& options)
    : eager_bytes_(options.eager_bytes),
      credit_bytes_(options.credit_bytes),
      outbox_(peers_),
      sender_(peers_, outbox_),
      receiver_(peers_, outbox_, sender_, options.credit_bytes),
      waiting_(poller, peers_, options.patience, options.skip) {}

void Engine::meet(const std::vector<Member>& members, Rank rank) {
  peers_.meet(members, rank, eager_bytes_, credit_bytes_);
  receiver_.open();
}

void Engine::set_routes(Rank peer, Transport& comm, Transport& packed, Transport& unpacked) {
  const auto route_by = [](Transport& transport) { return engine::Route{&transport, transport.memory_path()}; };
  engine::Peer& entry = peers_[peer];
  entry.routes = {route_by(packed), route_by(unpacked), route_by(comm)};
  if (peer == peers_.self()) return;
  if (entry.comm().memory != nullptr) entry.pull_from = entry.comm().memory->pull_from(peer);
  waiting_.expect(entry.comm());
}

std::string_view Engine::method(Rank peer) const {
  return peer == peers_.self() ? "self" : peers_[peer].comm().transport->name();
}

void Engine::start(Operation& operation) {
  if (operation.kind == Operation::Kind::receive) {
    receiver_.start(operation);
  } else if (operation.peer == peers_.self()) {
    receiver_.take_own(operation);
  } else {
    sender_.start(operation);
  }
}

void Engine::multicast(Operation& operation, std::span<const Rank> receivers, Tid group,
                       const std::function<void()>& open_group) {
  engine::Sender::Send& send = sender_.start_group(operation, receivers, group);
  waiting_.until({}, [&] { return send.awaited_grants == 0; });
  open_group();
  sender_.go(send);
  waiting_.until({}, [&] { return operation.complete; });
}

// --- what comes -------------------------------------------------------------------------------------------

void Engine::take_packet(const Envelope& envelope, const std::byte* payload) {
  if (envelope.kind != PacketKind::eager || envelope.payload_bytes != envelope.message_bytes) {
    return PacketHandler::take_packet(envelope, payload);
  }
  const Rank source = peers_.rank_of(Tid{envelope.source});
  if (source == any_source) return;
  peers_[source].credit += envelope.credit;
  receiver_.take_message(source, envelope, payload);
}

net::Landing Engine::begin_packet(const Envelope& envelope) {
  const Rank source = peers_.rank_of(Tid{envelope.source});
  if (source == any_source) return {};
  peers_[source].credit += envelope.credit;
  switch (envelope.kind) {
    case PacketKind::eager:
      return receiver_.begin_message(source, envelope);
    case PacketKind::data:
      return receiver_.begin_piece(source, envelope);
    case PacketKind::request:
      receiver_.announced(source, envelope);
      return {};
    case PacketKind::grant:
      sender_.granted(source, envelope.sender_id);
      return {};
    case PacketKind::pulled:
      sender_.fetched(envelope.sender_id);
      return {};
    default:
      return {};
  }
}

void Engine::end_packet(const Envelope& envelope, const net::Landing& landing) {
  if (landing.token != nullptr) receiver_.end_piece(envelope, landing);
}

void Engine::packet_sent(net::Packet& packet) {
  if (!outbox_.take_back(packet)) sender_.piece_sent(*static_cast<engine::Sender::Send*>(packet.owner));
}

// --- waiting ----------------------------------------------------------------------------------------------

void Engine::wait_any(std::span<Operation* const> operations) {
  if (operations.size() == 1) {
    const Operation& only = *operations[0];
    return waiting_.until(waiting_.target_of(only), [&] { return only.complete; });
  }
  const auto complete = [](const Operation* operation) { return operation != nullptr && operation->complete; };
  waiting_.until(waiting_.anything(), [&] { return std::ranges::any_of(operations, complete); });
}

void Engine::wait_for_send() {
  const std::uint64_t before = sender_.completed();
  waiting_.until(waiting_.anything(), [&] { return sender_.completed() != before; });
}

bool Engine::probe(Rank source, Tag tag, Context context, Status& found, bool block) {
  const auto look = [&] {
    const Unexpected* message = receiver_.find(source, tag, context);
    if (message != nullptr) found = {message->source, message->tag, message->bytes};
    return message != nullptr;
  };
  if (!block) {
    if (look()) return true;
    waiting_.progress();
    return look();
  }
  waiting_.until(waiting_.target_of(source, context), look);
  return true;
}

void Engine::flush() {
  waiting_.until({}, [&] { return outbox_.empty(); });
}

}  // namespace nasvm
