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

#include "vm/daemon/protocol.hpp"
#include "vm/engine/engine.hpp"
#include "vm/transport/daemon/daemon_link.hpp"
#include "vm/transport/table.hpp"

namespace nasvm {
namespace {

/// How long a task polls before it sleeps when every runnable task has a core: somewhat above what being woken costs.
constexpr std::chrono::microseconds spin_on_own_core{100};

int cores() {
  cpu_set_t set;
  return ::sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

net::Fd take_daemon_socket() {
  const char* text = std::getenv(protocol::task_fd_variable);
  int fd = -1;
  if (text == nullptr || std::from_chars(text, text + std::strlen(text), fd).ptr != text + std::strlen(text) || fd < 0) {
    throw UsageError(std::string("not started by a daemon (") + protocol::task_fd_variable +
                     " is not set): tasks are started by nasvm run");
  }
  ::fcntl(fd, F_SETFD, FD_CLOEXEC);
  return net::Fd(fd);
}

}  // namespace

struct Task::Parts {
  Parts() : link(take_daemon_socket(), poller), engine(poller, {}) {}

  void make_transports(const protocol::Json& welcome);
  void meet(const protocol::Json& start);
  void choose_routes();
  [[nodiscard]] Rank rank_of(Tid wanted) const;
  [[nodiscard]] Transport* find(std::string_view name) const;

  net::Poller poller;
  DaemonLink link;
  Engine engine;
  std::vector<std::unique_ptr<Transport>> all;
  std::vector<TransportChoice> order;  ///< preference of Comm's messages
  std::vector<Member> members;
  std::vector<Tid> tids;
  Tid tid;
  Rank rank = 0;
  int threads_on_computer = 1;  ///< of all tasks of the program
  int daemons_on_computer = 1;
  std::string setup;
  std::optional<Comm> comm;
};

bool Task::in_environment() { return std::getenv(protocol::task_fd_variable) != nullptr; }

void Task::Parts::make_transports(const protocol::Json& welcome) {
  tid = Tid{welcome.at("tid").get<std::uint32_t>()};
  rank = welcome.at("rank").get<int>();
  threads_on_computer = welcome.at("load").at("threads").get<int>();
  daemons_on_computer = welcome.at("load").at("daemons").get<int>();
  const protocol::Json& given = welcome.at("setup");
  setup = given.at("program").get<std::string>();
  link.set_self(tid);
  link.set_handler(engine);
  order = parse_transport_order(given.at("transport").get<std::string>());
  if (order.front().row->make == nullptr) {
    throw UsageError("transport " + std::string(order.front().row->name) + " has a launcher of its own");
  }
  TransportContext context;
  context.self = tid;
  context.rank = rank;
  context.size = welcome.at("size").get<int>();
  context.address = welcome.at("address").get<std::string>();
  context.secret = secret_from_hex(welcome.at("secret").get<std::string>());
  context.poller = &poller;
  context.handler = &engine;
  context.daemon = &link;
  protocol::Json descriptors = protocol::Json::object();
  for (const TransportRow& row : transports()) {
    const auto chosen = std::ranges::find(order, &row, &TransportChoice::row);
    context.parameters = chosen == order.end() ? Parameters{} : chosen->parameters;
    all.push_back(row.make(context));
    engine.listen_to(*all.back());
    const std::string descriptor = all.back()->descriptor();
    if (!descriptor.empty()) descriptors[std::string(row.name)] = descriptor;
  }
  link.send_control({{"type", "ready"}, {"tid", tid.value}, {"descriptors", descriptors}});
}

void Task::Parts::meet(const protocol::Json& start) {
  members = protocol::members_from_json(start.at("members"));
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

/// Per peer the first transport, in order of preference, that is applicable between the two
/// (Foster et al., Managing Multiple Communication Methods, section 3.2).
void Task::Parts::choose_routes() {
  bool through_daemon = false;
  std::map<Transport*, int> peers_by_transport;
  Transport* daemon = find("daemon");
  Transport* direct = find("direct");
  for (std::size_t peer = 0; peer < members.size(); ++peer) {
    std::string reasons;
    Transport* chosen = nullptr;
    for (const TransportChoice& choice : order) {
      Transport* candidate = find(choice.row->name);
      const std::string reason = candidate->why_not(static_cast<Rank>(peer));
      if (reason.empty()) {
        chosen = candidate;
        break;
      }
      reasons += " " + std::string(choice.row->name) + ": " + reason + ";";
    }
    if (chosen == nullptr) throw RunError("no transport reaches rank " + std::to_string(peer) + ":" + reasons);
    through_daemon = through_daemon || chosen == daemon;
    if (static_cast<Rank>(peer) != rank) ++peers_by_transport[chosen];
    engine.set_routes(static_cast<Rank>(peer), *chosen, *daemon, *direct);
  }
  for (const auto& [transport, peers] : peers_by_transport) transport->expect_peers(peers);
  // A daemon that carries messages is one more process that wants a core.
  const int runnable = threads_on_computer + (through_daemon ? daemons_on_computer : 0);
  std::chrono::microseconds spin = runnable > cores() ? std::chrono::microseconds(0) : spin_on_own_core;
  for (const TransportChoice& choice : order) {
    const auto set = choice.parameters.find("spin");
    if (set != choice.parameters.end()) spin = std::chrono::microseconds(set->second);
  }
  engine.set_spin(spin);
}

Rank Task::Parts::rank_of(Tid wanted) const {
  if (wanted == any_task) return any_source;
  const auto found = std::ranges::find(tids, wanted);
  if (found == tids.end()) throw RunError("there is no task " + to_string(wanted) + " in this program");
  return static_cast<Rank>(found - tids.begin());
}

Task::Task() : parts_(std::make_unique<Parts>()) {
  try {
    parts_->make_transports(parts_->link.next_control());
    parts_->meet(parts_->link.next_control());
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
const std::string& Task::setup() const { return parts_->setup; }
Comm& Task::comm() { return *parts_->comm; }

namespace {

void complete(Engine& engine, Operation& operation) {
  engine.start(operation);
  Operation* const waited[] = {&operation};
  if (!operation.complete) engine.wait_any(waited);
}

void fill(Operation& operation, Operation::Kind kind, Context context, Rank peer, Tag tag,
          std::span<const std::byte> data, std::uint8_t width) {
  operation.kind = kind;
  operation.context = context;
  operation.peer = peer;
  operation.tag = tag;
  operation.data = const_cast<std::byte*>(data.data());
  operation.bytes = data.size();
  operation.element_bytes = width;
}

}  // namespace

void Task::send(Tid to, Tag tag, const PackBuffer& message) {
  Operation operation;
  fill(operation, Operation::Kind::send, routed_context, parts_->rank_of(to), tag, message.bytes(), 1);
  complete(parts_->engine, operation);
}

Task::Received Task::recv(Tid from, Tag tag) {
  Status found;
  (void)parts_->engine.probe(parts_->rank_of(from), tag, routed_context, found, true);
  std::vector<std::byte> bytes(found.bytes);
  Operation operation;
  fill(operation, Operation::Kind::receive, routed_context, found.source, found.tag, bytes, 1);
  complete(parts_->engine, operation);
  return {PackBuffer(std::move(bytes)), parts_->tids[static_cast<std::size_t>(found.source)], found.tag};
}

void Task::mcast(std::span<const Tid> to, Tag tag, const PackBuffer& message) {
  struct Opening {
    DaemonLink* link;
    Tid group;
    std::vector<std::uint32_t> members;
  };
  std::vector<Rank> receivers;
  Opening opening{&parts_->link, Tid::group(parts_->tid.host(), parts_->tid.local()), {}};
  for (const Tid tid : to) {
    const Rank rank = parts_->rank_of(tid);
    if (rank < 0 || rank == parts_->rank || std::ranges::find(receivers, rank) != receivers.end()) continue;
    receivers.push_back(rank);
    opening.members.push_back(tid.value);
  }
  if (receivers.empty()) return;
  Operation operation;
  fill(operation, Operation::Kind::send, routed_context, any_source, tag, message.bytes(), 1);
  parts_->engine.multicast(
      operation, receivers, opening.group,
      [](void* argument) {
        const Opening& group = *static_cast<Opening*>(argument);
        group.link->send_control({{"type", "group"}, {"group", group.group.value}, {"tids", group.members}});
      },
      &opening);
}

void Task::fsend_bytes(Tid to, Tag tag, std::span<const std::byte> data, std::uint8_t width) {
  Operation operation;
  fill(operation, Operation::Kind::send, direct_context, parts_->rank_of(to), tag, data, width);
  complete(parts_->engine, operation);
}

Status Task::frecv_bytes(Tid from, Tag tag, std::span<std::byte> data, std::uint8_t width) {
  Operation operation;
  fill(operation, Operation::Kind::receive, direct_context, parts_->rank_of(from), tag, data, width);
  complete(parts_->engine, operation);
  return operation.status;
}

void Task::report(std::string_view text) { parts_->link.report(std::as_bytes(std::span(text))); }

void Task::finish() {
  for (const auto& transport : parts_->all) transport->expect_departures();
  parts_->comm->barrier();
  parts_->engine.flush();
  parts_->link.send_control({{"type", "done"}});
  parts_->link.flush();
}

void Task::fail(Exit exit_status, std::string_view text) noexcept {
  try {
    parts_->link.send_control({{"type", "failed"},
                               {"tid", parts_->tid.value},
                               {"exit", static_cast<int>(exit_status)},
                               {"text", std::string(text)}});
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
