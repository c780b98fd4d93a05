#include "vm/keeper/keeper.hpp"

#include <fcntl.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <exception>
#include <utility>

#include "vm/keeper/translate.hpp"
#include "vm/protocol/protocol.hpp"
#include "vm/version.hpp"

namespace nasvm::keeper {
namespace {

using namespace std::chrono_literals;

/// Between two looks at what no descriptor tells of, while nothing is to be done.
constexpr auto idle_interval = 500ms;
/// Between two looks whether clients can still find the keeper.
constexpr auto folder_interval = 1s;
/// Systems that clean up /tmp take away what has lain there for days.
constexpr auto freshening_interval = 1h;
/// Output that waits for a slow client: tasks wait then, too, as before a full pipe.
constexpr std::size_t most_unsent_bytes = 256 * 1024;
/// What comes from other computers cannot be stopped: of that more is kept, and the rest dropped.
constexpr std::size_t most_unsent_remarks_bytes = 16 * 1024 * 1024;
/// Reports and answers that wait for a client: several times what a run of the most tasks reports.
constexpr std::size_t most_waiting_bytes = 64 * 1024 * 1024;
constexpr std::size_t longest_log_bytes = 4 * 1024 * 1024;

/// Of a command line, for people.
constexpr std::size_t longest_what = 1000;

constexpr const char* stopped_text = "the machine was stopped (nasvm vm stop)";

bool is_same_user(int socket) {
  ucred peer{};
  socklen_t length = sizeof peer;
  return ::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0 && peer.uid == ::geteuid();
}

}  // namespace

class Keeper::OutputPipe final : public net::Watcher {
 public:
  OutputPipe(net::Fd pipe, Keeper& keeper) : pipe_(std::move(pipe)), keeper_(keeper) {
    ::fcntl(pipe_.get(), F_SETFL, O_NONBLOCK);
    resume();
  }
  ~OutputPipe() override { pause(); }
  OutputPipe(const OutputPipe&) = delete;
  OutputPipe& operator=(const OutputPipe&) = delete;

  void ready(std::uint32_t) override { (void)take_some(); }
  void drain() {
    while (take_some()) {
    }
  }
  void pause() {
    if (std::exchange(watched_, false)) keeper_.machine_.poller().remove(pipe_.get(), *this);
  }
  void resume() {
    if (!std::exchange(watched_, true)) keeper_.machine_.poller().add(pipe_.get(), EPOLLIN, *this);
  }

 private:
  bool take_some() {
    std::array<std::byte, 16 * 1024> bytes;
    const ssize_t got = ::read(pipe_.get(), bytes.data(), bytes.size());
    if (got > 0) keeper_.take_output(std::span(bytes).first(static_cast<std::size_t>(got)));
    return got > 0;
  }

  net::Fd pipe_;
  Keeper& keeper_;
  bool watched_ = false;
};

Keeper::Keeper(Machine& machine, const RuntimeFolder& folder, int lock, const Secret& secret, net::Fd output)
    : machine_(machine),
      folder_(folder),
      lock_(lock),
      since_s_(std::time(nullptr)),
      log_(::open(folder.log().c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600)),
      acceptor_(folder.listen(), net::Connection::Options{secret, keeper_tid, keeper_connection}, machine.poller(),
                *this, *this),
      output_(std::make_unique<OutputPipe>(std::move(output), *this)),
      look_(machine.poller(), [this] { look_at_folder(); }) {
  acceptor_.start();
  look_at_folder();
  machine_.on_start([this] {
    if (Client* client = customer()) client->send(Started{machine_.task_pids()});
  });
}

Keeper::~Keeper() { machine_.on_start({}); }

// --- clients -------------------------------------------------------------------------------------------------------

bool Keeper::admits(net::Connection& connection, Tid peer) {
  return is_same_user(connection.descriptor()) && peer != keeper_tid && !clients_.contains(peer.value);
}

void Keeper::established(net::Connection& connection) {
  gone_.clear();
  clients_[connection.peer().value] = std::make_unique<Client>(acceptor_.take(connection));
}

void Keeper::lost(net::Connection& connection, const std::string&) {
  if (acceptor_.drop(connection)) return;
  const auto client = clients_.find(connection.peer().value);
  if (client == clients_.end() || client->second->connection() != &connection) return;
  forget(client);
}

void Keeper::forget(Clients::iterator client) {
  if (queue_.drop(client->first)) {
    machine_.cancel("who asked for it has gone");
    output_->resume();
  }
  gone_.push_back(std::move(client->second));
  clients_.erase(client);
}

bool Keeper::has_room(std::uint32_t id, std::size_t more_bytes) {
  const auto client = clients_.find(id);
  if (client == clients_.end()) return false;
  const std::size_t unsent_bytes = client->second->unsent_bytes();
  if (unsent_bytes == 0 || unsent_bytes + more_bytes <= most_waiting_bytes) return true;
  write_log("client " + std::to_string(client->second->pid) + " (" + client->second->what +
            ") is cut off: " + std::to_string(unsent_bytes) + " bytes wait for it, which does not read\n");
  client->second->hang_up();
  forget(client);
  return false;
}

net::Landing Keeper::begin_packet(const Envelope& envelope) {
  const auto client = clients_.find(envelope.source);
  if (envelope.payload_bytes > protocol::max_control_bytes || client == clients_.end()) return {};
  return {net::Landing::Verdict::take, client->second->begin_request(envelope.payload_bytes).data(), nullptr};
}

void Keeper::end_packet(const Envelope& envelope, const net::Landing& landing) {
  const auto client = clients_.find(envelope.source);
  if (landing.data == nullptr || client == clients_.end() || envelope.kind != PacketKind::control) return;
  const std::vector<std::byte> text = client->second->take_request();
  if (!has_room(client->first, 0)) return;
  try {
    hear(client->first, *client->second, parse(text));
  } catch (const std::exception&) {
    const auto [exit_status, complaint] = current_complaint();
    client->second->send(Failed{exit_status, complaint});
  }
}

void Keeper::packet_sent(net::Packet& packet) {
  auto* client = static_cast<Client*>(packet.owner);
  client->piece_sent();
  if (client == customer() && client->unsent_bytes() < most_unsent_bytes) output_->resume();
}

void Keeper::hear(std::uint32_t id, Client& client, const Message& message) {
  if (const auto* greeting = std::get_if<Greeting>(&message)) return greet(client, *greeting);
  if (!client.greeted) throw UsageError("a client says greeting first");
  if (std::holds_alternative<Status>(message)) return client.send(state());
  if (std::holds_alternative<Stop>(message)) return stop(stopped_text);
  enqueue(id, client, message);
}

void Keeper::greet(Client& client, const Greeting& greeting) {
  if (greeting.version != build_version()) {
    throw UsageError("machine " + folder_.name() + " is of nasvm " + std::string(build_version()) +
                     ", but this is nasvm " + greeting.version + ": use that one, or stop it and start it anew");
  }
  client.greeted = true;
  client.pid = greeting.pid;
  client.what = greeting.what.substr(0, longest_what);
  client.send(state());
}

void Keeper::enqueue(std::uint32_t id, Client& client, const Message& request) {
  const bool is_job = std::holds_alternative<Run>(request) || std::holds_alternative<Add>(request) ||
                      std::holds_alternative<Remove>(request);
  if (!is_job) throw RunError("a keeper is not asked for that");
  if (queue_.has(id)) throw RunError("a client asks for one thing at a time");
  const int before = queue_.push({id, request, {client.what, client.pid, std::time(nullptr)}});
  if (before > 0) client.send(Waiting{before});
}

void Keeper::stop(const std::string& reason) {
  stopping_ = true;
  stop_reason_ = reason;
  machine_.cancel(reason);
}

void Keeper::look_at_folder() {
  const auto now = net::Timer::Clock::now();
  look_.set(now + folder_interval);
  if (!folder_.is_held(lock_)) {
    if (!stopping_) stop("the machine has ended: somebody has removed " + folder_.path("lock"));
  } else if (now >= next_freshening_) {
    folder_.keep_fresh();
    next_freshening_ = now + freshening_interval;
  }
}

State Keeper::state() const {
  State state{.name = folder_.name(),
              .version = std::string(build_version()),
              .pid = ::getpid(),
              .since_s = since_s_,
              .hosts = {},
              .jobs = queue_.jobs(),
              .tasks = {}};
  const auto hosts = machine_.all_hosts();
  const auto is_back = [&](const Machine::Host& lost) {
    return std::ranges::any_of(
        hosts, [&](const Machine::Host& host) { return host.is_there() && host.spec.name == lost.spec.name; });
  };
  for (const Machine::Host& host : hosts) {
    if (host.is_there() || (!host.removed && !is_back(host))) state.hosts.push_back(state_of(host));
  }
  for (const Machine::RunningTask& task : machine_.running_tasks()) {
    state.tasks.push_back({task.tid, task.rank, hosts[task.host].spec.name, task.pid});
  }
  return state;
}

bool Keeper::has_hosts() const { return std::ranges::any_of(machine_.all_hosts(), &Machine::Host::is_there); }

// --- output --------------------------------------------------------------------------------------------------------

Client* Keeper::customer() {
  const JobQueue::Entry* job = queue_.running();
  const auto client = job == nullptr ? clients_.end() : clients_.find(job->client);
  return client == clients_.end() ? nullptr : client->second.get();
}

void Keeper::take_output(std::span<const std::byte> bytes) {
  Client* client = customer();
  if (client == nullptr) return write_log({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  client->send_output(bytes);
  if (client->unsent_bytes() >= most_unsent_bytes) output_->pause();
}

void Keeper::take_remark(const std::string& line) {
  Client* client = customer();
  if (client == nullptr) return write_log(line + "\n");
  if (client->unsent_bytes() >= most_unsent_remarks_bytes) {
    ++dropped_remarks_;
    return;
  }
  tell_of_dropped_remarks(*client);
  const std::string text = line + "\n";
  client->send_output(std::as_bytes(std::span(text)));
}

void Keeper::tell_of_dropped_remarks(Client& client) {
  const std::size_t count = std::exchange(dropped_remarks_, 0);
  if (count == 0) return;
  const std::string text = "nasvm: " + std::to_string(count) + " lines were dropped here: nobody has read them\n";
  client.send_output(std::as_bytes(std::span(text)));
}

/// Nobody can be told when it cannot be written.
void Keeper::write_log(std::string_view text) {
  if (logged_bytes_ >= longest_log_bytes) return;
  logged_bytes_ += text.size();
  (void)!::write(log_.get(), text.data(), text.size());
}

// --- jobs ----------------------------------------------------------------------------------------------------------

std::string Keeper::serve() {
  std::string reason;
  try {
    while (!stopping_ && reason.empty()) {
      gone_.clear();
      acceptor_.bury();
      if (!has_hosts()) reason = "no host is left, the last: " + machine_.all_hosts().back().lost;
      else if (const JobQueue::Entry* next = queue_.begin(std::time(nullptr))) carry_out(*next);
      else machine_.idle(idle_interval);
    }
  } catch (const Interrupted&) {
    stop(stopped_text);
  } catch (const std::exception&) {
    reason = current_complaint().text;
  }
  for (const JobQueue::Entry& entry : queue_.waiting()) {
    const auto client = clients_.find(entry.client);
    if (client != clients_.end()) client->second->send(Failed{Exit::broken, reason.empty() ? stop_reason_ : reason});
  }
  if (!reason.empty()) write_log("the keeper has ended: " + reason + "\n");
  return reason;
}

void Keeper::carry_out(const JobQueue::Entry& entry) {
  Message answer = Done{};
  try {
    if (const auto* request = std::get_if<Run>(&entry.request)) run(*request);
    if (const auto* request = std::get_if<Add>(&entry.request)) machine_.add(hosts_of(request->hosts));
    if (const auto* request = std::get_if<Remove>(&entry.request)) machine_.remove(request->hosts);
  } catch (const Interrupted&) {
    stop(stopped_text);
    answer = Failed{Exit::broken, stopped_text};
  } catch (const std::exception&) {
    const auto [exit_status, text] = current_complaint();
    answer = Failed{exit_status, text};
  }
  output_->drain();
  if (Client* client = customer()) {
    tell_of_dropped_remarks(*client);
    client->send(answer);
  }
  dropped_remarks_ = 0;
  queue_.end();
  output_->resume();  // the next one's reader is another
}

void Keeper::run(const Run& request) {
  const std::vector<std::string> reports = machine_.run(program_of(request));
  output_->drain();
  send_reports(reports);
}

void Keeper::send_reports(const std::vector<std::string>& reports) {
  std::size_t bytes = 0;
  for (const std::string& report : reports) bytes += report.size();
  if (!has_room(queue_.running()->client, bytes)) return;
  Client* client = customer();
  for (std::size_t rank = 0; rank < reports.size(); ++rank)
    client->send_report(static_cast<int>(rank), reports[rank]);
}

}  // namespace nasvm::keeper
