#include "vm/task.hpp"

#include <fcntl.h>
#include <sched.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <map>
#include <new>
#include <optional>

#include "vm/cores.hpp"
#include "vm/engine/engine.hpp"
#include "vm/protocol/protocol.hpp"
#include "vm/transport/daemon/daemon_link.hpp"
#include "vm/transport/table.hpp"

namespace nasvm {
namespace {

/// How long a task polls before it sleeps when every runnable task has a core: somewhat above what being woken costs.
constexpr std::chrono::microseconds spin_on_own_core{100};

/// The same when there are more tasks than cores, and each offers its core after every look: enough for the others on
/// that core to have their turns where messages are short and frequent.
constexpr std::chrono::microseconds spin_in_crowd{20};

/// The same when only the daemons make it a crowd: more than a round trip through a daemon takes while all have to be
/// woken. Otherwise who once sleeps keeps the others waiting until they sleep, too, and so on without end.
constexpr std::chrono::microseconds spin_beside_daemons{60};

net::Fd take_daemon_socket() {
  const char* text = std::getenv(protocol::task_fd_variable);
  int fd = -1;
  if (text == nullptr || std::from_chars(text, text + std::strlen(text), fd).ptr != text + std::strlen(text) ||
      fd < 0) {
    throw UsageError(std::string("not started by a daemon (") + protocol::task_fd_variable +
                     " is not set): tasks are started by nasvm run");
  }
  ::fcntl(fd, F_SETFD, FD_CLOEXEC);
  return net::Fd(fd);
}

}  // namespace

struct Task::Parts {
  Parts() : engine(poller, {}), link(take_daemon_socket(), poller) {}

  void make_transports(const protocol::Welcome& welcome);
  void meet(const protocol::Start& start);
  void choose_routes();
  [[nodiscard]] const TransportChoice& choose(Rank peer) const;
  [[nodiscard]] const std::vector<TransportChoice>& order_to(Rank peer) const;
  [[nodiscard]] std::vector<const TransportChoice*> all_choices() const;
  [[nodiscard]] const Parameters& parameters_of(const TransportRow& row) const;
  [[nodiscard]] std::optional<std::uint64_t> set_by_user(std::string_view parameter) const;
  void choose_waiting(int runnable);
  [[nodiscard]] Rank rank_of(Tid wanted) const;
  [[nodiscard]] Transport* find(std::string_view name) const;

  net::Poller poller;
  Engine engine;  ///< outlives link and transports: what is still queued in them are its packets
  DaemonLink link;
  std::vector<std::unique_ptr<Transport>> all;
  std::vector<TransportChoice> order;                          ///< preference of Comm's messages
  std::map<Rank, std::vector<TransportChoice>> order_of_peer;  ///< where another one was given for a pair
  std::vector<Member> members;
  std::vector<Tid> tids;
  Tid tid;
  Rank rank = 0;
  int threads_on_computer = 1;  ///< of all tasks of the program
  int tasks_on_computer = 1;
  int daemons_on_computer = 1;
  bool bind = true;
  OwnCores own_cores;
  std::string setup;
  std::optional<Comm> comm;
};

bool Task::in_environment() { return std::getenv(protocol::task_fd_variable) != nullptr; }

void Task::Parts::make_transports(const protocol::Welcome& welcome) {
  tid = welcome.tid;
  rank = welcome.rank;
  threads_on_computer = welcome.load.threads;
  tasks_on_computer = welcome.load.tasks;
  daemons_on_computer = welcome.load.daemons;
  setup = welcome.setup.program;
  bind = welcome.setup.bind;
  link.set_self(tid);
  link.set_handler(engine);
  order = parse_transport_order(welcome.setup.transport);
  for (const auto& [first, second, pair_transport] : welcome.setup.pairs) {
    if (first != rank && second != rank) continue;
    order_of_peer[first == rank ? second : first] = parse_transport_order(pair_transport);
  }
  TransportContext context;
  context.self = tid;
  context.rank = rank;
  context.size = welcome.size;
  context.crowded = threads_on_computer > usable_cores();
  context.address = welcome.address;
  context.secret = secret_from_hex(welcome.secret);
  context.poller = &poller;
  context.handler = &engine;
  context.daemon = &link;
  DescriptorTable descriptors;
  for (const TransportRow& row : transports()) {
    context.parameters = parameters_of(row);
    all.push_back(row.make(context));
    engine.listen_to(*all.back());
    const std::string descriptor = all.back()->descriptor();
    if (!descriptor.empty()) descriptors[std::string(row.name)] = descriptor;
  }
  link.send_control(protocol::Ready{.tid = tid, .descriptors = std::move(descriptors)});
}

void Task::Parts::meet(const protocol::Start& start) {
  members = start.members;
  for (const Member& member : members) tids.push_back(member.tid);
  for (const auto& transport : all) transport->meet(members);
  engine.meet(members, rank);
  choose_routes();
  link.open();
}

Transport* Task::Parts::find(std::string_view name) const {
  const auto found = std::ranges::find(all, name, [](const auto& transport) { return transport->name(); });
  return found == all.end() ? nullptr : found->get();
}

const std::vector<TransportChoice>& Task::Parts::order_to(Rank peer) const {
  const auto own = order_of_peer.find(peer);
  return own == order_of_peer.end() ? order : own->second;
}

/// Every transport of every order, those of single peers first.
std::vector<const TransportChoice*> Task::Parts::all_choices() const {
  std::vector<const TransportChoice*> choices;
  for (const auto& [peer, own] : order_of_peer) {
    for (const TransportChoice& choice : own) choices.push_back(&choice);
  }
  for (const TransportChoice& choice : order) choices.push_back(&choice);
  return choices;
}

/// A transport is made once for all peers: with the parameters of the first order that names it.
const Parameters& Task::Parts::parameters_of(const TransportRow& row) const {
  static const Parameters none;
  const auto choices = all_choices();
  const auto found = std::ranges::find(choices, &row, &TransportChoice::row);
  return found == choices.end() ? none : (*found)->parameters;
}

/// A parameter of the whole task: the first value in any order.
std::optional<std::uint64_t> Task::Parts::set_by_user(std::string_view parameter) const {
  for (const TransportChoice* choice : all_choices()) {
    const auto set = choice->parameters.find(parameter);
    if (set != choice->parameters.end()) return set->second;
  }
  return std::nullopt;
}

/// The first transport, in order of preference, that is applicable between this task and the peer
/// (Foster et al., Managing Multiple Communication Methods, section 3.2).
const TransportChoice& Task::Parts::choose(Rank peer) const {
  std::string reasons;
  for (const TransportChoice& choice : order_to(peer)) {
    const std::string reason = find(choice.row->name)->why_not(peer);
    if (reason.empty()) return choice;
    reasons += " " + std::string(choice.row->name) + ": " + reason + ";";
  }
  throw RunError("no transport reaches rank " + std::to_string(peer) + ":" + reasons);
}

void Task::Parts::choose_routes() {
  bool through_daemon = false;
  std::map<Transport*, int> peers_by_transport;
  Transport* daemon = find("daemon");
  Transport* direct = find("direct");
  for (Rank peer = 0; peer < static_cast<Rank>(members.size()); ++peer) {
    const TransportChoice& choice = choose(peer);
    Transport* chosen = find(choice.row->name);
    through_daemon = through_daemon || chosen == daemon;
    if (peer != rank) ++peers_by_transport[chosen];
    engine.set_routes(peer, *chosen, *daemon, *direct);
    const auto eager = choice.parameters.find(eager_parameter.name);
    if (eager != choice.parameters.end()) engine.set_eager_bytes(peer, eager->second);
  }
  for (const auto& [transport, peers] : peers_by_transport) transport->expect_peers(peers);
  // A daemon that carries messages is one more process that wants a core.
  choose_waiting(threads_on_computer + (through_daemon ? daemons_on_computer : 0));
}

/// How to wait, and where: on cores of its own, if there is one for each of the program's `runnable` threads here.
void Task::Parts::choose_waiting(int runnable) {
  const bool crowded = runnable > usable_cores();
  const auto crowd_spin = threads_on_computer > usable_cores() ? spin_in_crowd : spin_beside_daemons;
  Patience::Options patience{crowded ? crowd_spin : spin_on_own_core, crowded};
  if (bind && tasks_on_computer > 1 && !crowded) {
    const int threads = threads_on_computer / tasks_on_computer;
    own_cores = OwnCores::claim(rank * threads, threads);
    engine.on_disturbance([this] { own_cores.release(); });
  }
  if (const auto spin = set_by_user(spin_parameter.name)) patience.spin = std::chrono::microseconds(*spin);
  engine.set_patience(patience);
  engine.set_skip(static_cast<unsigned>(set_by_user(skip_poll_parameter.name).value_or(0)));
}

Rank Task::Parts::rank_of(Tid wanted) const {
  if (wanted == any_task) return any_source;
  const auto found = std::ranges::find(tids, wanted);
  if (found == tids.end()) throw RunError("there is no task " + to_string(wanted) + " in this program");
  return static_cast<Rank>(found - tids.begin());
}

Task::Task() : parts_(std::make_unique<Parts>()) {
  try {
    parts_->make_transports(protocol::expect<protocol::Welcome>(parts_->link.next_control()));
    parts_->meet(protocol::expect<protocol::Start>(parts_->link.next_control()));
    parts_->comm.emplace(parts_->engine);
  } catch (const Error& error) {
    fail(error.exit_status(), error.what());
    throw;
  }
}

Task::~Task() = default;

Tid Task::tid() const { return parts_->tid; }
std::span<const Tid> Task::siblings() const { return parts_->tids; }
const std::string& Task::host(Rank rank) const { return parts_->members[static_cast<std::size_t>(rank)].host; }
std::vector<Task::Candidate> Task::candidates(Rank peer) const {
  std::vector<Candidate> all;
  for (const TransportChoice& choice : parts_->order_to(peer)) {
    all.push_back({std::string(choice.row->name), parts_->find(choice.row->name)->why_not(peer)});
  }
  return all;
}

const std::string& Task::setup() const { return parts_->setup; }
Comm& Task::comm() { return *parts_->comm; }

namespace {

void complete(Engine& engine, Operation& operation) {
  engine.start(operation);
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
  Operation operation;
  fill(operation, Operation::Kind::send, packed_context, parts_->rank_of(to), tag, message.bytes(), 1);
  complete(parts_->engine, operation);
}

Task::Received Task::recv(Tid from, Tag tag) {
  Status found;
  (void)parts_->engine.probe(parts_->rank_of(from), tag, packed_context, found, true);
  std::vector<std::byte> bytes(found.bytes);
  Operation operation;
  fill(operation, Operation::Kind::receive, packed_context, found.source, found.tag, bytes, 1);
  complete(parts_->engine, operation);
  return {PackBuffer(std::move(bytes)), parts_->tids[static_cast<std::size_t>(found.source)], found.tag};
}

void Task::mcast(std::span<const Tid> to, Tag tag, const PackBuffer& message) {
  std::vector<Rank> receivers;
  std::vector<Tid> members;
  for (const Tid tid : to) {
    const Rank rank = parts_->rank_of(tid);
    if (rank < 0 || rank == parts_->rank || std::ranges::find(receivers, rank) != receivers.end()) continue;
    receivers.push_back(rank);
    members.push_back(tid);
  }
  if (receivers.empty()) return;
  const Tid group = Tid::group(parts_->tid.host(), parts_->tid.local());
  Operation operation;
  fill(operation, Operation::Kind::send, packed_context, any_source, tag, message.bytes(), 1);
  parts_->engine.multicast(operation, receivers, group,
                           [&] { parts_->link.send_control(protocol::Group{.group = group, .tids = members}); });
}

void Task::fsend_bytes(Tid to, Tag tag, std::span<const std::byte> data, std::uint8_t element_bytes) {
  Operation operation;
  fill(operation, Operation::Kind::send, unpacked_context, parts_->rank_of(to), tag, data, element_bytes);
  complete(parts_->engine, operation);
}

Status Task::frecv_bytes(Tid from, Tag tag, std::span<std::byte> data, std::uint8_t element_bytes) {
  Operation operation;
  fill(operation, Operation::Kind::receive, unpacked_context, parts_->rank_of(from), tag, data, element_bytes);
  complete(parts_->engine, operation);
  return operation.status;
}

void Task::report(std::string_view text) { parts_->link.report(std::as_bytes(std::span(text))); }

void Task::finish() {
  for (const auto& transport : parts_->all) transport->expect_departures();
  parts_->comm->barrier();
  parts_->engine.flush();
  parts_->link.send_control(protocol::Done{});
  parts_->link.flush();
}

void Task::fail(Exit exit_status, std::string_view text) noexcept {
  try {
    parts_->link.send_control(protocol::Failed{.tid = parts_->tid, .exit = exit_status, .text = std::string(text)});
    parts_->link.flush();
  } catch (const std::exception&) {
    // The daemon is gone too: the console hears of that from its own connection.
  }
}

int run_task(void (*body)(Task&)) {
  if (!Task::in_environment()) {
    std::fputs("nasvm: tasks are started by nasvm run, not by hand\n", stderr);
    return static_cast<int>(Exit::usage);
  }
  std::optional<Task> task;
  try {
    task.emplace();
    body(*task);
    task->finish();
    return static_cast<int>(Exit::ok);
  } catch (const std::exception&) {
    const auto [exit_status, text] = current_complaint();
    if (task.has_value()) task->fail(exit_status, text);
    return static_cast<int>(exit_status);
  }
}

}  // namespace nasvm
