#include "vm/engine/engine.hpp"

#include <algorithm>
#include <stdexcept>

#include "vm/engine/count_up.hpp"
#include "vm/status.hpp"
#include "vm/too_short.hpp"

namespace nasvm {
namespace {

/// Short messages that were there at the first look, one after the other, are a row; so many of it are taken at once.
constexpr std::size_t short_bytes = 512;
constexpr int waits_of_row = 3;
constexpr int most_of_row = 32;

/// As CountUp, with what is waited for. Waits are nested, as those of several threads are, which take turns.
class Noted {
 public:
  Noted(std::list<Engine::Pending>& all, const Engine::Pending& one)
      : all_(all), place_(all.insert(all.end(), one)) {}
  ~Noted() { all_.erase(place_); }
  Noted(const Noted&) = delete;
  Noted& operator=(const Noted&) = delete;

 private:
  std::list<Engine::Pending>& all_;
  std::list<Engine::Pending>::iterator place_;
};

}  // namespace

Engine::Engine(net::Poller& poller, const Options& options)
    : eager_bytes_(options.eager_bytes),
      credit_bytes_(options.credit_bytes),
      outbox_(peers_),
      sender_(peers_, outbox_),
      receiver_(peers_, outbox_, sender_, options.credit_bytes),
      waiting_(poller, peers_, options.patience, options.skip) {
  sender_.on_group([this](const engine::Sender::Send& send) { group_moved(send); });
}

void Engine::meet(const std::vector<Member>& members, Rank rank) {
  peers_.meet(members, rank, eager_bytes_, credit_bytes_);
  receiver_.grow();
}

void Engine::set_stranger_route(Transport& transport) {
  peers_.set_stranger_route({&transport, transport.memory_path()});
}

void Engine::listen_to(Transport& transport) {
  transports_.push_back(&transport);
  waiting_.listen_to(transport);
}

void Engine::set_routes(Rank peer, Transport& comm, Transport& packed, Transport& unpacked) {
  const auto route_by = [](Transport& transport) { return engine::Route{&transport, transport.memory_path()}; };
  engine::Peer& entry = peers_[peer];
  entry.routes = {route_by(packed), route_by(unpacked), pulled_route(comm, peer)};
  // Within a host an answer has nothing to stand behind.
  entry.is_invited = entry.comm().pull_from == MemoryPath::never && !is_on_this_host(peer);
  if (peer != peers_.self()) waiting_.expect(entry.comm());
}

/// The peer may fetch long messages, where that transport can.
engine::Route Engine::pulled_route(Transport& transport, Rank peer) const {
  MemoryPath* memory = transport.memory_path();
  const bool fetches = memory != nullptr && peer != peers_.self() && transport.why_not(peer).empty();
  return {&transport, memory, fetches ? memory->pull_from(peer) : MemoryPath::never};
}

void Engine::set_request_routes(std::span<Transport* const> methods) {
  peers_.set_request_methods(methods.size());
  for (Rank peer = 0; peer < peers_.size(); ++peer) {
    for (Transport* transport : methods) {
      peers_[peer].request_routes.push_back(peers_[peer].is_gone() ? engine::Route{transport}
                                                                   : pulled_route(*transport, peer));
    }
  }
}

std::string_view Engine::method(Rank peer) const {
  const engine::Turn turn(turns_.get());
  return peer == peers_.self() ? "self" : peers_[peer].comm().transport->name();
}

bool Engine::is_on_this_host(Rank peer) const {
  const engine::Turn turn(turns_.get());
  return peers_[peer].tid.host() == peers_[peers_.self()].tid.host();
}

/// As the receiver of a long message would.
bool Engine::can_read_memory(Rank peer) const {
  const engine::Turn turn(turns_.get());
  return peer != peers_.self() && peers_[peer].comm().pull_from != MemoryPath::never;
}

bool Engine::read_memory(Rank peer, std::uint64_t address, std::span<std::byte> into) {
  const engine::Turn turn(turns_.get());
  MemoryPath* memory = peers_[peer].comm().memory;
  return memory != nullptr && memory->pull(peer, address, into, MemoryPath::Exchange::both_ways);
}

std::span<std::byte> Engine::board(Rank reader, std::size_t bytes, int readers) {
  const engine::Turn turn(turns_.get());
  MemoryPath* memory = peers_[reader].comm().memory;
  return memory != nullptr ? memory->board(bytes, readers) : std::span<std::byte>();
}

std::unique_ptr<SharedMemory> Engine::create_memory(Rank peer, std::size_t bytes) {
  const engine::Turn turn(turns_.get());
  MemoryPath* memory = peers_[peer].comm().memory;
  return memory != nullptr ? memory->create_memory(bytes) : nullptr;
}

std::unique_ptr<SharedMemory> Engine::map_memory(Rank creator, std::int64_t number, std::size_t bytes) {
  const engine::Turn turn(turns_.get());
  MemoryPath* memory = peers_[creator].comm().memory;
  return memory != nullptr ? memory->map_memory(creator, number, bytes) : nullptr;
}

void Engine::wake(Rank peer) {
  const engine::Turn turn(turns_.get());
  if (MemoryPath* memory = peers_[peer].comm().memory; memory != nullptr) memory->wake(peer);
}

// --- tasks that come and go -------------------------------------------------------------------------------

Rank Engine::add(Tid stranger) {
  const Rank rank = peers_.add(stranger);
  receiver_.grow();
  return rank;
}

Rank Engine::rank_of(Tid task) {
  const Rank known = task.is_task() ? peers_.rank_of(task) : any_source;
  if (known != any_source) return known;
  if (!peers_.may_add(task)) throw RunError("there is no task " + to_string(task));
  return add(task);
}

void Engine::forget(Tid task, bool clean, std::string_view how) {
  if (!task.is_task() || (peers_.rank_of(task) == any_source && !peers_.may_add(task))) return;
  const Rank rank = rank_of(task);
  if (rank == peers_.self() || peers_[rank].is_gone()) return;
  if (!how.empty()) ends_.emplace(rank, how);
  peers_.end(rank, clean ? engine::Presence::left : engine::Presence::dead);
  for (Transport* transport : transports_) transport->forget(task, clean);
  sender_.forget(rank);
  receiver_.forget(rank, clean);
}

/// Whose packet that is. any_source: it is to be ignored.
inline Rank Engine::source_of(const Envelope& envelope) {
  const Rank known = peers_.rank_of(Tid{envelope.source});
  if (!peers_.is_sibling(known)) return stranger_of(envelope);
  return peers_[known].presence == engine::Presence::dead ? any_source : known;
}

Rank Engine::stranger_of(const Envelope& envelope) {
  const Tid tid{envelope.source};
  if (!is_for_strangers(envelope.context) || !peers_.may_add(tid)) return any_source;
  const Rank known = peers_.rank_of(tid);
  const Rank stranger = known == any_source ? add(tid) : known;
  return peers_.is_dead(stranger) ? any_source : stranger;
}

// --- what leaves ------------------------------------------------------------------------------------------

void Engine::start(Operation& operation) {
  require_open();
  try {
    start_it(operation);
  } catch (...) {
    withdraw(operation);
    throw;
  }
}

/// Out of the way of what handles errors: compiled into one with it, messages of 512 B took 0.21 us and not 0.185.
[[gnu::noinline]] void Engine::start_it(Operation& operation) {
  const engine::Turn turn(turns_.get());
  looked_for_ = nullptr;
  if (operation.kind == Operation::Kind::receive) {
    receiver_.start(operation);
  } else if (operation.peer == peers_.self()) {
    receiver_.take_own(operation);
  } else {
    sender_.start(operation);
  }
}

bool Engine::cancel(Operation& receive) {
  const engine::Turn turn(turns_.get());
  return receiver_.cancel(receive);
}

void Engine::withdraw(Operation& operation) noexcept {
  if (turns_ != nullptr) turns_->take_in_any_case();
  looked_for_ = nullptr;
  if (operation.kind == Operation::Kind::receive) {
    receiver_.withdraw(operation);
  } else if (operation.peer == peers_.self()) {
    receiver_.withdraw_own(operation);
  } else {
    sender_.adopt(operation);
  }
  if (turns_ != nullptr) turns_->give();
}

void Engine::share() {
  if (turns_ == nullptr) turns_ = std::make_unique<engine::Turns>(waiting_.poller());
}

void Engine::multicast(Operation& operation, std::span<const Rank> receivers, Tid group,
                       const std::function<void()>& open_group) {
  const engine::Turn turn(turns_.get());
  start_multicast(operation, receivers, group, open_group);
  (void)waiting_.until({}, [&] { return operation.complete; });
}

void Engine::start_multicast(Operation& operation, std::span<const Rank> receivers, Tid group,
                             std::function<void()> open_group) {
  const engine::Turn turn(turns_.get());
  // What waits must not be overtaken by later ones of its context: it is announced, as those before it were.
  const auto same_context = [&](const GroupSend& each) { return each.send->operation->context == operation.context; };
  const bool may_go_at_once = !group_is_going_ && std::ranges::none_of(group_sends_, same_context);
  engine::Sender::Send& send = sender_.start_group(operation, receivers, group, may_go_at_once);
  group_sends_.push_back({&send, std::move(open_group)});
  let_group_go();
}

void Engine::group_moved(const engine::Sender::Send& send) {
  if (send.operation == nullptr) {
    std::erase_if(group_sends_, [&](const GroupSend& each) { return each.send == &send; });
    group_is_going_ = false;  // it was that one
  }
  let_group_go();
}

/// The oldest that may.
void Engine::let_group_go() {
  if (group_is_going_) return;
  const auto next =
      std::ranges::find_if(group_sends_, [](const GroupSend& each) { return each.send->awaited_grants == 0; });
  if (next == group_sends_.end()) return;
  group_is_going_ = true;
  engine::Sender::Send& send = *next->send;
  const std::function<void()> open_group = std::move(next->open_group);
  open_group();
  sender_.go(send);
}

// --- what comes -------------------------------------------------------------------------------------------

/// Apart from the other packets, which are few and need more room to be taken.
void Engine::take_packet(const Envelope& envelope, const std::byte* payload) {
  if (envelope.kind != PacketKind::eager || envelope.payload_bytes != envelope.message_bytes) {
    return take_other_packet(envelope, payload);
  }
  const Rank source = source_of(envelope);
  if (source == any_source) return;
  peers_[source].credit += envelope.credit;
  receiver_.take_message(source, envelope, payload);
}

void Engine::take_other_packet(const Envelope& envelope, const std::byte* payload) {
  PacketHandler::take_packet(envelope, payload);
}

net::Landing Engine::begin_packet(const Envelope& envelope) {
  const Rank source = source_of(envelope);
  if (source == any_source) return {};
  peers_[source].credit += envelope.credit;
  switch (envelope.kind) {
    case PacketKind::eager:
    case PacketKind::invited:
      return receiver_.begin_message(source, envelope);
    case PacketKind::data:
      return receiver_.begin_piece(source, envelope);
    case PacketKind::request:
      if (!peers_[source].is_gone()) receiver_.announced(source, envelope);
      return {};
    case PacketKind::grant:
      sender_.granted(source, envelope.sender_id);
      return {};
    case PacketKind::invite:
      sender_.invited(source, envelope);
      return {};
    case PacketKind::pulled:
      sender_.fetched(source, envelope.sender_id);
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

void Engine::progress() {
  const engine::Turn turn(turns_.get());
  looked_for_ = nullptr;
  waiting_.progress();
  if (attendant_ != nullptr && attendant_->wanted()) attendant_->attend();
}

void Engine::look_for(const Operation& operation) {
  const engine::Turn turn(turns_.get());
  const engine::Waiting::Target target = waiting_.target_of(operation);
  looked_for_ = nullptr;
  (void)waiting_.look(target);
  if (!operation.complete) {
    looked_for_ = &operation;
    in_row_ = 0;
  }
  const bool is_short = operation.kind == Operation::Kind::receive && operation.bytes <= short_bytes;
  if (!operation.complete || !is_short || target.awaited != Patience::Awaited::through_memory) return;
  if (in_row_ < waits_of_row) ++in_row_;
  // Where the last ones were there already, too, there are more behind it: for those that have a receive this saves
  // the waits of their own.
  if (in_row_ < waits_of_row) return;
  for (int more = 0; more < most_of_row && receiver_.awaits(operation.peer) && waiting_.look(target); ++more) {
  }
}

/// Why nothing will fill a receive that is `abandoned`.
void Engine::complain_about(const Operation& receive) const {
  if (engine::Receiver::was_too_short(receive)) complain_of_length(receive);
  complain_of_end(receive.peer);
}

std::string Engine::end_text(Rank peer) const {
  const auto how = ends_.find(peer);
  return "task " + to_string(tid_of(peer)) + " has ended" + (how == ends_.end() ? "" : " (" + how->second + ")");
}

void Engine::complain_of_end(Rank peer) const {
  throw RunError(end_text(peer) + ", and will not send what is waited for");
}

void Engine::complain_of_leaving() {
  throw std::logic_error("this task has left (Task::finish, depart): it sends and receives nothing any more");
}

void Engine::complain_of_handler() {
  throw RunError("a handler cannot wait: calls of Comm and Task that block are for outside of handlers");
}

void Engine::wait_any(std::span<Operation* const> operations) {
  const engine::Turn turn(turns_.get());
  if (operations.size() == 1) {
    if (!wait_for(*operations[0])) complain_about(*operations[0]);
    return;
  }
  const auto complete = [](const Operation* operation) { return operation != nullptr && operation->complete; };
  const auto abandoned = [](const Operation* operation) { return operation != nullptr && operation->abandoned; };
  const auto any = [&](const auto& is_so) { return std::ranges::any_of(operations, is_so); };
  (void)wait(waiting_.anything(), [&] { return any(complete) || any(abandoned); });
  if (any(complete)) return;
  complain_about(**std::ranges::find_if(operations, abandoned));
}

void Engine::wait_for_memory(std::span<const Rank> writers, const std::function<bool()>& done) {
  const engine::Turn turn(turns_.get());
  const auto dead = [&] {
    return std::ranges::find_if(writers, [this](Rank writer) { return peers_.is_dead(writer); });
  };
  const auto any_dead = [&] { return peers_.ended() != 0 && dead() != writers.end(); };
  engine::Waiting::Target target = waiting_.anything();
  target.in_memory = true;
  target.awaited = Patience::Awaited::through_memory;
  const engine::CountUp waiting(memory_waits_);
  (void)wait(target, [&] { return done() || any_dead(); });
  if (!done()) complain_of_end(*dead());
}

bool Engine::wait_any_until(std::span<Operation* const> operations, Rank peer, Context context,
                            const Deadline& deadline) {
  const engine::Turn turn(turns_.get());
  const auto over = [](const Operation* operation) { return operation->complete || operation->abandoned; };
  const int ended = peers_.ended();
  const auto done = [&] {
    return std::ranges::any_of(operations, over) || peers_.ended() != ended ||
           (turns_ != nullptr && turns_->others_want());
  };
  engine::Waiting::Target target = waiting_.target_of(peer, context);
  // Another thread of this task may compute on the same core.
  target.awaited = Patience::Awaited::anything;
  return wait(target, done, deadline);
}

bool Engine::wait_for(const Operation& operation) {
  const engine::Turn turn(turns_.get());
  engine::Waiting::Target target = waiting_.target_of(operation);
  target.looked = looked_for_ == &operation;
  (void)wait(target, [&] { return operation.complete || operation.abandoned; });
  return operation.complete;
}

bool Engine::wait_until(const std::function<bool()>& done, const Deadline& deadline) {
  const engine::Turn turn(turns_.get());
  return wait({}, done, deadline);
}

void Engine::wait_for_send(bool serves) {
  const engine::Turn turn(turns_.get());
  const auto has_ended = [this, before = sender_.completed()] { return sender_.completed() != before; };
  if (serves) (void)wait({}, has_ended);
  else (void)waiting_.until({}, has_ended);
}

bool Engine::probe(Rank source, Tag tag, Context context, Status& found, bool block) {
  const engine::Turn turn(turns_.get());
  require_open();
  if (block) return probe_until(source, tag, context, found, {});
  if (find(source, tag, context, found)) return true;
  progress();
  return find(source, tag, context, found);
}

bool Engine::find(Rank source, Tag tag, Context context, Status& found) const {
  const Unexpected* message = receiver_.find(source, tag, context);
  if (message != nullptr) found = {message->source, message->tag, message->bytes};
  return message != nullptr;
}

bool Engine::probe_until(Rank source, Tag tag, Context context, Status& found, const Deadline& deadline) {
  const engine::Turn turn(turns_.get());
  bool is_there = false;
  const auto look = [&] {
    is_there = find(source, tag, context, found);
    return is_there || peers_.is_dead(source);
  };
  if (look()) {  // most are: no need to say that somebody waits
    if (!is_there) complain_of_end(source);
    return true;
  }
  const Noted waiting(probes_, {Operation::Kind::receive, source, tag, context, 0});
  if (!wait(waiting_.target_of(source, context), look, deadline)) return false;
  if (!is_there) complain_of_end(source);
  return true;
}

std::vector<Engine::Pending> Engine::pending() const {
  std::vector<Pending> all(probes_.begin(), probes_.end());
  for (const Operation* receive : receiver_.matcher().posted()) {
    all.push_back({receive->kind, receive->peer, receive->tag, receive->context, receive->bytes});
  }
  for (const auto& [send, peer] : sender_.waiting()) {
    all.push_back({send->kind, peer, send->tag, send->context, send->bytes});
  }
  return all;
}

std::vector<Engine::Pending> Engine::unread() const {
  std::vector<Pending> all;
  for (const Unexpected* message : receiver_.matcher().unexpected()) {
    all.push_back({Operation::Kind::receive, message->source, message->tag, message->context, message->bytes});
  }
  return all;
}

void Engine::flush() {
  const engine::Turn turn(turns_.get());
  (void)waiting_.until({}, [&] { return outbox_.empty(); });
}

}  // namespace nasvm
