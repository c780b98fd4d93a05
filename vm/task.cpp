#include "vm/task.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <functional>
#include <map>
#include <new>
#include <optional>
#include <set>
#include <stdexcept>
#include <utility>

#include "vm/broadcast/multicast_broadcasts.hpp"
#include "vm/cores.hpp"
#include "vm/engine/buffered_sends.hpp"
#include "vm/engine/count_up.hpp"
#include "vm/engine/engine.hpp"
#include "vm/multicast/fanout/copies.hpp"
#include "vm/multicast/group.hpp"
#include "vm/protocol/protocol.hpp"
#include "vm/routes/route.hpp"
#include "vm/routes/transport_set.hpp"
#include "vm/task_requests.hpp"
#include "vm/task_waits.hpp"
#include "vm/transport/daemon/daemon_link.hpp"
#include "vm/transport/daemon/daemon_transport.hpp"
#include "vm/transport/table.hpp"
#include "vm/version.hpp"
#include "vm/waiting/choice.hpp"

namespace nasvm {
namespace {

/// As its daemon has told this process; -1: it has not.
int daemon_socket() {
  const char* text = std::getenv(protocol::task_fd_variable);
  if (text == nullptr) return -1;
  const char* const end = text + std::strlen(text);
  int descriptor = -1;
  return std::from_chars(text, end, descriptor).ptr == end ? std::max(-1, descriptor) : -1;
}

net::Fd take_daemon_socket() {
  const int fd = daemon_socket();
  if (fd < 0) {
    throw UsageError(std::string("not started by a daemon (") + protocol::task_fd_variable +
                     " is not set): tasks are started by their console (Machine::run, or nasvm run)");
  }
  // A second one would wait for words that the first has taken, and close its socket.
  static std::atomic<bool> is_taken = false;
  if (is_taken.exchange(true)) {
    throw UsageError("this process is a task already, and has one Task: hand that on (for do_nio: files::attach)");
  }
  ::fcntl(fd, F_SETFD, FD_CLOEXEC);
  return net::Fd(fd);
}

/// As errors are told. Programs may throw anything.
std::string one_line(std::string_view text) {
  constexpr std::string_view ends = "\r\n";
  std::string line;
  for (std::size_t at = text.find_first_not_of(ends); at != std::string_view::npos;) {
    const std::size_t end = std::min(text.find_first_of(ends, at), text.size());
    if (!line.empty()) line += "; ";
    line += text.substr(at, end - at);
    at = text.find_first_not_of(ends, end);
  }
  return line.empty() ? "an error without a text" : line;
}

}  // namespace

struct Task::Parts {
  Parts() : engine(poller, {}), link(take_daemon_socket(), poller) {}
  Parts(const Parts&) = delete;
  Parts& operator=(const Parts&) = delete;
  ~Parts() { leave_groups(); }

  void know(Tid own) {
    tid = own;
    link.set_self(own);
  }
  void make_transports(const protocol::Welcome& welcome);
  void begin();
  void meet(const protocol::Start& start);
  void choose_routes();
  void choose_waiting();
  void tell_blocked(std::span<const Rank> awaited);
  void tell_waits();
  /// Asks the console and blocks until it has answered. Throws what it cannot do.
  protocol::Answer ask(const protocol::Message& request);
  void hear(const protocol::Message& message);
  void hear(const protocol::Gone& gone);
  /// Hands the task's user the news that it has asked for: a message to itself.
  void give_notice(Tag notice_tag, const protocol::Gone& gone);
  [[nodiscard]] const TransportChoice* find_route(Rank peer) const;
  [[nodiscard]] std::string why_not(const TransportRow& row, Rank peer) const {
    return transports.of(row).why_not(peer);
  }
  /// Has the ends of these siblings noted, as no end of the run.
  void outlive(std::span<const Rank> ranks);
  void require_here() const { engine.require_open(); }
  [[nodiscard]] Rank source_of(Tid wanted) { return wanted == any_task ? any_source : engine.rank_of(wanted); }
  std::optional<Received> take(const Status& found);
  /// Starts a send that the daemons hand on. Does not block.
  void start_multicast(Operation& operation, std::span<const Rank> receivers);
  /// RunError where one has ended, with which this task can meet no more.
  void require_siblings() const;
  void leave(bool alone);
  /// Of broadcasts, without telling them: a message to a task that has ended might wait for ever.
  void leave_groups() {
    if (comm.has_value()) comm->use_for_broadcasts(nullptr);
  }

  net::Poller poller;
  Engine engine;  ///< outlives link and transports: what is still queued in them are its packets
  std::optional<engine::BufferedSends> sends;  ///< and these messages
  DaemonLink link;
  Orders orders;  ///< preference of Comm's messages
  TransportSet transports;
  std::vector<Member> members;
  std::vector<Tid> tids;
  Tid tid;
  Tid parent = Tid::console();
  std::set<Tid> ended_early;  ///< before this task's world began
  Rank rank = 0;
  Neighbours neighbours;
  int daemons_on_computer = 1;
  Binding binding = Binding::core;
  OwnCores own_cores;
  std::string setup;
  std::string address;  ///< by which this host's daemon talks to others
  Secret secret{};
  std::string multicast;                 ///< protocol of broadcasts between hosts; empty: none
  std::vector<Tid> group_told;           ///< members of the last mcast, as the daemon knows them
  std::optional<TaskRequests> requests;  ///< when somebody wants to make some
  std::optional<multicast::Broadcasts> broadcasts;
  std::optional<Comm> comm;
  bool finishing = false;                  ///< it waits for all, to leave
  int multicast_waits = 0;                 ///< waits of multicast groups that are not over
  std::string asked;                       ///< for people; empty: nothing
  std::optional<protocol::Answer> answer;  ///< to what has been asked
  std::multimap<Tid, Tag> notices;         ///< tags of the messages about ends, by who ends
  std::vector<Tag> host_notices;
  std::set<Tid> outlived;                            ///< siblings whose ends are no end of the run
  std::vector<multicast::Surroundings::Ended> ends;  ///< of those
  std::vector<protocol::Gone> early_ends;  ///< of tasks that this one does not know yet, for it is spawning them
};

bool Task::descends_from_daemon() { return std::getenv(protocol::task_fd_variable) != nullptr; }

bool Task::in_environment() {
  const int socket = daemon_socket();
  struct stat status {};
  return socket >= 0 && ::fstat(socket, &status) == 0 && S_ISSOCK(status.st_mode);
}

void Task::Parts::make_transports(const protocol::Welcome& welcome) {
  parent = welcome.parent;
  rank = welcome.rank;
  neighbours = {usable_cores(), welcome.load.threads, welcome.load.tasks, 0};
  daemons_on_computer = welcome.load.daemons;
  setup = welcome.setup.program;
  address = welcome.address;
  secret = secret_from_hex(welcome.secret);
  multicast = welcome.setup.multicast;
  binding = welcome.setup.bind ? Binding::core : Binding::none;
  link.set_handler(engine);
  orders = Orders(welcome.setup.transport);
  for (const auto& [first, second, order] : welcome.setup.pairs) {
    if (first == rank || second == rank) orders.set(first == rank ? second : first, order);
  }
  TransportContext context;
  context.self = tid;
  context.rank = rank;
  context.size = welcome.size;
  context.crowded = neighbours.is_crowd();
  context.daemons_on_computer = daemons_on_computer;
  context.address = address;
  context.secret = secret;
  context.poller = &poller;
  context.handler = &engine;
  context.daemon = &link;
  transports.make(context, orders);
  for (const auto& transport : transports.all()) engine.listen_to(*transport);
  link.send_control(protocol::Ready{.tid = tid, .descriptors = transports.descriptors()});
}

/// Other tasks may end before this one has heard that it may begin.
void Task::Parts::begin() {
  std::vector<protocol::Message> news{link.next_control()};
  while (!std::holds_alternative<protocol::Start>(news.back())) news.push_back(link.next_control());
  const auto start = protocol::expect<protocol::Start>(std::move(news.back()));
  news.pop_back();
  std::erase_if(news, [](const auto& message) { return std::holds_alternative<protocol::Where>(message); });
  for (const protocol::Message& message : news) ended_early.insert(protocol::expect<protocol::Gone>(message).gone);
  meet(start);
  for (const protocol::Message& message : news) hear(message);
}

void Task::Parts::meet(const protocol::Start& start) {
  members = start.members;
  for (const Member& member : members) tids.push_back(member.tid);
  for (const auto& transport : transports.all()) transport->meet(members);
  engine.meet(members, rank);
  engine.set_stranger_route(transports.of(transport_for(TransportRole::packed)));
  choose_routes();
  choose_waiting();
  sends.emplace(engine, orders.first_value(buffer_parameter.name).value_or(default_buffer_bytes),
                std::bind_front(&Parts::tell_blocked, this));
  link.on_control([this](const protocol::Message& message) { hear(message); });
  link.open();
}

/// None: the peer has ended before this task's world began, or has left it already; the daemons know about it.
const TransportChoice* Task::Parts::find_route(Rank peer) const {
  if (ended_early.contains(tids[static_cast<std::size_t>(peer)])) return nullptr;
  try {
    return &choose_route(orders, peer, std::bind_front(&Parts::why_not, this));
  } catch (const RunError&) {
    const auto sees_that = [peer](const auto& transport) { return transport->has_left(peer); };
    if (std::ranges::any_of(transports.all(), sees_that)) return nullptr;
    throw;
  }
}

void Task::Parts::choose_routes() {
  Transport& packed = transports.of(transport_for(TransportRole::packed));
  Transport* unpacked = transports.find(transport_for(TransportRole::unpacked));
  std::map<Transport*, int> peers_by_transport;
  for (Rank peer = 0; peer < static_cast<Rank>(members.size()); ++peer) {
    const TransportChoice* found = find_route(peer);
    if (found == nullptr) {
      engine.set_routes(peer, packed, packed, packed);
      continue;
    }
    const TransportChoice& choice = *found;
    Transport& chosen = transports.of(*choice.row);
    if (peer != rank) ++peers_by_transport[&chosen];
    // A daemon that carries messages is one more process that wants a core.
    if (choice.row->carriers == Carriers::daemons) neighbours.daemons = daemons_on_computer;
    const bool has_unpacked = unpacked != nullptr && unpacked->why_not(peer).empty();
    engine.set_routes(peer, chosen, packed, has_unpacked ? *unpacked : packed);
    const auto eager = choice.parameters.find(eager_parameter.name);
    if (eager != choice.parameters.end()) engine.set_eager_bytes(peer, eager->second);
  }
  for (const auto& [transport, peers] : peers_by_transport) transport->expect_peers(peers);
}

void Task::Parts::choose_waiting() {
  std::optional<std::chrono::microseconds> spin;
  if (const auto set = orders.first_value(spin_parameter.name)) spin.emplace(*set);
  const WaitingChoice choice = nasvm::choose_waiting(neighbours, binding, spin);
  if (choice.own_cores != 0) {
    own_cores = OwnCores::claim(rank * choice.own_cores, choice.own_cores);
    engine.on_disturbance([this] { own_cores.release(); });
  }
  engine.set_patience(choice.patience);
  engine.set_skip(static_cast<unsigned>(orders.first_value(skip_poll_parameter.name).value_or(0)));
}

/// The console finds out whether the others wait, too.
void Task::Parts::tell_blocked(std::span<const Rank> awaited) {
  protocol::Blocked blocked{.tid = tid, .awaited = {}, .given = {}};
  for (const Rank peer : awaited) {
    blocked.awaited.push_back({engine.tid_of(peer), engine.grants_heard(peer)});
  }
  for (Rank peer = 0; peer < engine.peer_count(); ++peer) {
    if (engine.grants_given(peer) == 0) continue;
    blocked.given.push_back({engine.tid_of(peer), engine.grants_given(peer)});
  }
  link.send_control(blocked);
}

void Task::Parts::tell_waits() {
  const TaskWaits waits{.pending = engine.pending(),
                        .unread = engine.unread(),
                        .in_memory = engine.waits_for_memory(),
                        .in_multicast = multicast_waits != 0,
                        .asked = asked,
                        .finishing = finishing};
  const auto name_of = [this](Rank peer) {
    return peer < engine.size() ? "rank " + std::to_string(peer) : "task " + to_string(engine.tid_of(peer));
  };
  link.send_control(protocol::Waits{.tid = tid, .text = text_of(waits, name_of)});
}

Task::Task() : parts_(std::make_unique<Parts>()) {
  try {
    const auto welcome = protocol::expect<protocol::Welcome>(parts_->link.next_control());
    parts_->know(welcome.tid);  // a complaint leaves in its name
    if (welcome.version != build_version()) {
      throw UsageError("this is nasvm " + std::string(build_version()) + ", but nasvmd beside it is " +
                       welcome.version + ": copy both of one build");
    }
    parts_->make_transports(welcome);
    parts_->begin();
    parts_->comm.emplace(parts_->engine);
    if (!parts_->multicast.empty()) {
      parts_->broadcasts.emplace(surroundings(), parts_->multicast);
      parts_->comm->use_for_broadcasts(&*parts_->broadcasts);
    }
  } catch (const Error& error) {
    fail(error.exit_status(), error.what());
    throw;
  }
}

Task::~Task() = default;

Tid Task::tid() const { return parts_->tid; }
Tid Task::parent() const { return parts_->parent; }
std::span<const Tid> Task::siblings() const { return parts_->tids; }
bool Task::shares_cores() const { return parts_->neighbours.is_crowd(); }
void Task::set_skip_poll(unsigned looks) { parts_->engine.set_skip(looks); }
const std::string& Task::host(Rank rank) const { return parts_->members[static_cast<std::size_t>(rank)].host; }
std::vector<Task::Candidate> Task::candidates(Rank peer) const {
  return route_candidates(parts_->orders, peer, std::bind_front(&Parts::why_not, parts_.get()));
}

const std::string& Task::setup() const { return parts_->setup; }
Comm& Task::comm() {
  parts_->require_here();
  return *parts_->comm;
}
Endpoint& Task::endpoint() { return parts_->engine; }

RequestCarrier& Task::request_carrier() {
  auto& requests = parts_->requests;
  if (!requests) {
    requests.emplace(parts_->engine, parts_->transports, parts_->orders, parts_->secret,
                     std::bind_front(&Parts::start_multicast, parts_.get()));
  }
  return *requests;
}

multicast::Surroundings Task::surroundings() {
  multicast::Surroundings here{
      .address = parts_->address,
      .secret = parts_->secret,
      .poller = &parts_->poller,
      .answer = [&engine = parts_->engine](int more) { engine.answer(more); },
      .wait_until =
          [this](const std::function<bool()>& done, multicast::TimePoint deadline) {
            const engine::CountUp waiting(parts_->multicast_waits);
            const bool ends = deadline != multicast::TimePoint::max();
            (void)parts_->engine.wait_until(done, ends ? std::optional(deadline) : std::nullopt);
          },
      .outlive = [this](std::span<const Rank> ranks) { parts_->outlive(ranks); },
      .ended = [this] { return std::span<const multicast::Surroundings::Ended>(parts_->ends); }};
  for (const Tid sibling : siblings()) here.hosts.push_back(sibling.host());
  return here;
}

namespace {

void complete(Engine& engine, LocalOperation& operation) {
  operation.start();
  Operation* const waited[] = {&operation};
  if (!operation.complete) engine.wait_any(waited);
}

void fill(Operation& operation, Operation::Kind kind, Context context, Rank peer, Tag tag,
          std::span<const std::byte> data, std::uint8_t element_bytes) {
  operation.kind = kind;
  operation.context = context;
  operation.peer = peer;
  operation.tag = tag;
  operation.data = const_cast<std::byte*>(data.data());
  operation.bytes = data.size();
  operation.element_bytes = element_bytes;
}

}  // namespace

void Task::send(Tid to, Tag tag, const PackBuffer& message) {
  const engine::Turn turn(parts_->engine.turns());
  parts_->require_here();
  check_tag(tag);
  parts_->sends->send(parts_->engine.rank_of(to), tag, message.bytes());
}

/// The message that has been found, which may still be on its way. None: its sender has ended meanwhile.
std::optional<Task::Received> Task::Parts::take(const Status& found) {
  std::vector<std::byte> bytes(found.bytes);
  LocalOperation operation(engine);
  fill(operation, Operation::Kind::receive, packed_context, found.source, found.tag, bytes, 1);
  operation.start();
  if (!engine.wait_for(operation)) return {};
  return Received{PackBuffer(std::move(bytes)), engine.tid_of(found.source), found.tag};
}

Task::Received Task::recv(Tid from, Tag tag) {
  const engine::Turn turn(parts_->engine.turns());
  parts_->require_here();
  check_wanted_tag(tag);
  Engine& engine = parts_->engine;
  const Rank source = parts_->source_of(from);
  for (Status found;;) {
    (void)engine.probe(source, tag, packed_context, found, true);
    if (auto received = parts_->take(found)) return std::move(*received);
  }
}

std::optional<Task::Received> Task::nrecv(Tid from, Tag tag) {
  const engine::Turn turn(parts_->engine.turns());
  parts_->require_here();
  check_wanted_tag(tag);
  Status found;
  while (parts_->engine.probe(parts_->source_of(from), tag, packed_context, found, false)) {
    if (auto received = parts_->take(found)) return received;
  }
  return {};
}

std::optional<Task::Received> Task::trecv(std::chrono::nanoseconds patience, Tid from, Tag tag) {
  const engine::Turn turn(parts_->engine.turns());
  parts_->require_here();
  check_wanted_tag(tag);
  const auto now = std::chrono::steady_clock::now();
  Engine::Deadline deadline;  // none: for ever
  if (patience < std::chrono::steady_clock::time_point::max() - now) deadline = now + patience;
  Status found;
  while (parts_->engine.probe_until(parts_->source_of(from), tag, packed_context, found, deadline)) {
    if (auto received = parts_->take(found)) return received;
  }
  return {};
}

std::optional<Task::Pending> Task::probe(Tid from, Tag tag) {
  const engine::Turn turn(parts_->engine.turns());
  parts_->require_here();
  check_wanted_tag(tag);
  Status found;
  if (!parts_->engine.probe(parts_->source_of(from), tag, packed_context, found, false)) return {};
  return Pending{parts_->engine.tid_of(found.source), found.tag, found.bytes};
}

void Task::Parts::start_multicast(Operation& operation, std::span<const Rank> receivers) {
  std::vector<Tid> to;
  for (const Rank receiver : receivers) to.push_back(engine.tid_of(receiver));
  const Tid group = Tid::group(tid.host(), tid.local());
  engine.start_multicast(operation, receivers, group, [this, group, to = std::move(to)] {
    // Those who have ended since would not get anything under the old list either.
    if (to == group_told) return;
    link.send_control(protocol::Group{.group = group, .tids = to, .share = multicast::are_shared(multicast)});
    group_told = to;
  });
}

void Task::mcast(std::span<const Tid> to, Tag tag, const PackBuffer& message) {
  const engine::Turn turn(parts_->engine.turns());
  parts_->require_here();
  check_tag(tag);
  std::vector<Rank> named;
  for (const Tid tid : to) named.push_back(parts_->engine.rank_of(tid));
  const auto receivers = multicast::distinct_receivers(named, parts_->rank);
  if (receivers.empty()) return;
  Operation operation;
  fill(operation, Operation::Kind::send, packed_context, any_source, tag, message.bytes(), 1);
  // Where there is room, nobody has to ask for it: it does not start behind a request's data.
  (void)parts_->engine.wait_until([&] { return !parts_->engine.is_multicasting(); });
  try {
    parts_->start_multicast(operation, receivers);
    (void)parts_->engine.wait_until([&] { return operation.complete; });
  } catch (...) {
    if (!operation.complete) parts_->engine.withdraw(operation);
    throw;
  }
}

// --- tasks that come and go ----------------------------------------------------------------------------------------

/// What is asked for, for people.
static std::string name_of(const protocol::Message& request) {
  const auto* call = std::get_if<protocol::GroupCall>(&request);
  return call == nullptr ? std::string(protocol::type_of(request)) : call->call + " of group " + call->group;
}

protocol::Answer Task::Parts::ask(const protocol::Message& request) {
  require_here();
  const engine::Turn turn(engine.turns());
  engine.require_waiting();
  answer.reset();
  link.send_control(request);
  asked = name_of(request);
  (void)engine.wait_until([this] { return answer.has_value(); }, std::nullopt);
  if (answer->error.empty()) return std::move(*answer);
  if (answer->exit == Exit::usage) throw UsageError(answer->error);
  throw RunError(answer->error);
}

void Task::Parts::hear(const protocol::Message& message) {
  protocol::dispatch(message, protocol::Handlers{[this](const protocol::Answer& heard) {
                                                   answer = heard;
                                                   asked.clear();
                                                 },
                                                 [this](const protocol::Where&) { tell_waits(); },
                                                 [this](const protocol::Gone& gone) { hear(gone); }});
}

void Task::Parts::hear(const protocol::Gone& gone) {
  if (gone.gone.is_daemon()) {
    for (const Tag notice_tag : host_notices) give_notice(notice_tag, gone);
    return;
  }
  // In finish nothing is wanted any more of a sibling but that it comes there, too.
  const bool fails_finish = finishing && gone.alone && std::ranges::find(tids, gone.gone) != tids.end();
  engine.forget(gone.gone, gone.clean && !fails_finish, gone.text);
  if (!gone.asked) return;
  const bool noted = outlived.erase(gone.gone) > 0;
  if (noted) ends.push_back({engine.rank_of(gone.gone), gone.text.empty() ? "has left" : gone.text});
  const auto [first, last] = notices.equal_range(gone.gone);
  if (first == last && !noted) early_ends.push_back(gone);
  for (auto notice = first; notice != last; ++notice) give_notice(notice->second, gone);
  notices.erase(first, last);
}

void Task::Parts::give_notice(Tag notice_tag, const protocol::Gone& gone) {
  PackBuffer message;
  message.pack_value(gone.gone.value).pack_value(static_cast<std::uint8_t>(gone.clean)).pack_text(gone.text);
  sends->send(rank, notice_tag, message.bytes(), false);  // a message is being dealt with
}

Task::Notice Task::read_notice(Received message) {
  Notice notice;
  notice.gone.value = message.message.unpack_value<std::uint32_t>();
  notice.clean = message.message.unpack_value<std::uint8_t>() != 0;
  notice.text = message.message.unpack_text();
  return notice;
}

void Task::Parts::outlive(std::span<const Rank> ranks) {
  std::vector<Tid> targets;
  for (const Rank peer : ranks) {
    const bool is_known = std::ranges::find(ends, peer, &multicast::Surroundings::Ended::world_rank) != ends.end();
    if (!is_known) targets.push_back(tids[static_cast<std::size_t>(peer)]);
  }
  if (targets.empty()) return;
  outlived.insert(targets.begin(), targets.end());
  (void)ask(protocol::Watch{.tid = tid, .targets = std::move(targets)});
}

std::vector<Tid> Task::spawn(const SpawnOrder& order) {
  if (order.notify.has_value()) check_tag(*order.notify);
  const protocol::SpawnOrder asked{.tid = parts_->tid,
                                   .program = order.program,
                                   .arguments = order.arguments,
                                   .setup = order.setup,
                                   .count = order.count,
                                   .host = order.host,
                                   .watched = order.notify.has_value()};
  const engine::Turn turn(parts_->engine.turns());
  protocol::Answer answer;
  try {
    answer = parts_->ask(asked);
  } catch (const Error&) {
    parts_->early_ends.clear();  // of what it had started
    throw;
  }
  if (!order.notify.has_value()) return answer.tids;
  for (const Tid task : answer.tids) parts_->notices.emplace(task, *order.notify);
  for (const protocol::Gone& gone : std::exchange(parts_->early_ends, {})) parts_->hear(gone);
  return answer.tids;
}

void Task::kill(Tid task) { (void)parts_->ask(protocol::KillOrder{.tid = parts_->tid, .target = task}); }

void Task::notify(Tag tag, std::span<const Tid> tasks) {
  check_tag(tag);
  const engine::Turn turn(parts_->engine.turns());
  for (const Tid task : tasks) parts_->notices.emplace(task, tag);
  (void)parts_->ask(protocol::Watch{.tid = parts_->tid, .targets = {tasks.begin(), tasks.end()}});
}

void Task::notify_hosts(Tag tag) {
  check_tag(tag);
  const engine::Turn turn(parts_->engine.turns());
  parts_->host_notices.push_back(tag);
  (void)parts_->ask(protocol::Watch{.tid = parts_->tid, .targets = {}, .hosts = true});
}

int Task::join(std::string_view group) {
  return parts_->ask(protocol::GroupCall{.tid = parts_->tid, .call = "join", .group = std::string(group)}).number;
}

void Task::leave(std::string_view group) {
  (void)parts_->ask(protocol::GroupCall{.tid = parts_->tid, .call = "leave", .group = std::string(group)});
}

std::vector<Tid> Task::members(std::string_view group) {
  return parts_->ask(protocol::GroupCall{.tid = parts_->tid, .call = "members", .group = std::string(group)}).tids;
}

void Task::barrier(std::string_view group, int count) {
  (void)parts_->ask(
      protocol::GroupCall{.tid = parts_->tid, .call = "barrier", .group = std::string(group), .count = count});
}

void Task::broadcast(std::string_view group, Tag tag, const PackBuffer& message) {
  mcast(members(group), tag, message);
}

void Task::fsend_bytes(Tid to, Tag tag, std::span<const std::byte> data, std::uint8_t element_bytes) {
  const engine::Turn turn(parts_->engine.turns());
  parts_->require_here();
  check_tag(tag);
  LocalOperation operation(parts_->engine);
  fill(operation, Operation::Kind::send, unpacked_context, parts_->engine.rank_of(to), tag, data, element_bytes);
  complete(parts_->engine, operation);
}

Status Task::frecv_bytes(Tid from, Tag tag, std::span<std::byte> data, std::uint8_t element_bytes) {
  const engine::Turn turn(parts_->engine.turns());
  parts_->require_here();
  check_wanted_tag(tag);
  LocalOperation operation(parts_->engine);
  fill(operation, Operation::Kind::receive, unpacked_context, parts_->source_of(from), tag, data, element_bytes);
  complete(parts_->engine, operation);
  return operation.status;
}

void Task::report(std::string_view text) {
  const engine::Turn turn(parts_->engine.turns());
  parts_->require_here();
  parts_->link.report(std::as_bytes(std::span(text)));
}

void Task::finish() {
  const engine::Turn turn(parts_->engine.turns());
  parts_->comm->complain_of_forgotten();
  if (parts_->engine.is_closed()) return;
  parts_->require_siblings();
  for (const auto& transport : parts_->transports.all()) transport->expect_departures();
  parts_->finishing = true;
  try {
    parts_->comm->barrier();
  } catch (const RunError&) {
    parts_->require_siblings();  // one may have ended meanwhile
    throw;
  }
  // No sibling receives any more. Nor does a stranger when the first world ends.
  if (parts_->parent != Tid::console()) parts_->sends->drain(parts_->engine.size());
  parts_->leave(false);
}

void Task::depart() {
  const engine::Turn turn(parts_->engine.turns());
  parts_->comm->complain_of_forgotten();
  if (parts_->engine.is_closed()) return;
  for (const auto& transport : parts_->transports.all()) transport->expect_departures();
  parts_->sends->drain(0);
  parts_->leave(true);
}

void Task::Parts::require_siblings() const {
  for (Rank peer = 0; peer < engine.size(); ++peer) {
    if (!engine.is_gone(peer)) continue;
    throw RunError(engine.end_text(peer) + ", and this one cannot finish together with it: depart instead");
  }
}

/// When everything that anybody may still want has left.
void Task::Parts::leave(bool alone) {
  leave_groups();
  engine.flush();
  link.send_control(protocol::Done{.alone = alone});
  link.flush();
  engine.close();
}

void Task::fail(Exit exit_status, std::string_view text) noexcept {
  try {
    const Exit failure = exit_status == Exit::ok ? Exit::broken : exit_status;
    const protocol::Failed failed{.tid = parts_->tid, .exit = failure, .text = one_line(text)};
    if (!parts_->link.say_last(failed))
      std::fprintf(stderr, "nasvm: rank %d: %s\n", parts_->engine.rank(), failed.text.c_str());
  } catch (const std::exception&) {
    // The daemon is gone too: the console hears of that from its own connection.
  }
}

int run_task(void (*body)(Task&)) {
  if (!Task::in_environment()) {
    std::fputs("nasvm: a task is not started by hand: its console starts it (Machine::run, docs/tasks.md)\n", stderr);
    return static_cast<int>(Exit::usage);
  }
  std::optional<Task> task;
  try {
    task.emplace();
    body(*task);
    task->finish();
    return static_cast<int>(Exit::ok);
  } catch (...) {
    const auto [exit_status, text] = current_complaint();
    if (task.has_value()) task->fail(exit_status, text);
    // What fails to join has told its daemon, unless it did not even take the socket.
    else if (Task::in_environment()) std::fprintf(stderr, "nasvm: %s\n", text.c_str());
    return static_cast<int>(exit_status);
  }
}

}  // namespace nasvm
