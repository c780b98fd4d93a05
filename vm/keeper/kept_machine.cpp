#include "vm/keeper/kept_machine.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <thread>
#include <utility>

#include "vm/keeper/keeper.hpp"
#include "vm/keeper/runtime_folder.hpp"
#include "vm/keeper/translate.hpp"
#include "vm/launch/signal_watch.hpp"
#include "vm/net/connection.hpp"
#include "vm/proc.hpp"
#include "vm/process/line_pieces.hpp"
#include "vm/process/pipe.hpp"
#include "vm/process/programs.hpp"
#include "vm/process/start.hpp"
#include "vm/protocol/protocol.hpp"
#include "vm/status.hpp"
#include "vm/version.hpp"
#include "vm/write_all.hpp"

namespace nasvm::keeper {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr auto answer_patience = 5s;   ///< for what a keeper answers at once
constexpr auto end_patience = 15s;     ///< until a keeper that has been asked to end has gone
constexpr auto kill_patience = 5s;     ///< until one that has been killed has
constexpr auto leave_patience = 2s;    ///< until one that has let its name go has gone itself
constexpr auto word_patience = 500ms;  ///< until who has taken a name has said who he is
constexpr auto look_pause = 10ms;
constexpr auto usual_silence_before_asking = 10s;
/// In a row, before a keeper is given up. A loaded computer may let it wait.
constexpr int most_silences = 6;

[[noreturn]] void throw_failure(const Failed& failed) {
  if (failed.exit == Exit::usage) throw UsageError(failed.text);
  if (failed.exit == Exit::broken) throw RunError(failed.text);
  throw Error(failed.exit, failed.text);
}

/// " (but: a, b)": the user's machines, where there are any.
std::string others_text() {
  std::string text;
  for (const std::string& name : names_of_machines()) text += (text.empty() ? " (but: " : ", ") + name;
  return text.empty() ? text : text + ")";
}

UsageError not_there(const RuntimeFolder& folder) {
  const std::string& name = folder.name();
  const std::string start = "start it with nasvm vm start" + (name == usual_name ? "" : " " + name);
  if (!folder.exists()) return UsageError("there is no machine \"" + name + "\"" + others_text() + ": " + start);
  const std::string reason = folder.end_reason();
  if (!reason.empty()) return UsageError("machine \"" + name + "\" has ended by itself: " + reason + "; " + start);
  return UsageError("machine \"" + name + "\" is not there any more, its keeper was killed: " + start);
}

/// This process's, with blanks between its words.
std::string own_command_line() {
  std::string text = proc_text("/proc/self/cmdline");
  while (text.ends_with('\0')) text.pop_back();
  std::ranges::replace(text, '\0', ' ');
  const std::size_t program_end = std::min(text.find(' '), text.size());
  const std::size_t slash = text.rfind('/', program_end);
  return slash == std::string::npos ? text : text.substr(slash + 1);
}

/// What a client calls itself: different for all of a keeper's.
Tid random_tid() {
  std::uint32_t number = 0;
  (void)!::getrandom(&number, sizeof number, 0);
  return {number | 1U << 30};  // none of a daemon's or the keeper's
}

/// Until `done`, for that time at most; returns what `done` says last.
template <typename Condition>
bool comes_true(Condition done, std::chrono::milliseconds patience) {
  const auto deadline = Clock::now() + patience;
  while (!done()) {
    if (Clock::now() >= deadline) return false;
    std::this_thread::sleep_for(look_pause);
  }
  return true;
}

/// The process that holds a machine's name.
struct Holding {
  pid_t pid = 0;
  net::Fd process{};  ///< none of who has not said who he is, or not in numbers of this process

  [[nodiscard]] bool goes_on(const RuntimeFolder& folder) const { return folder.holder() == pid; }
};

/// Until it has let the name go, for that time at most; a moment later the process has ended, too.
bool has_ended(const Holding& keeper, const RuntimeFolder& folder, std::chrono::milliseconds patience) {
  if (!comes_true([&] { return !keeper.goes_on(folder); }, patience)) return false;
  pollfd end{keeper.process.get(), POLLIN, 0};
  if (keeper.process) (void)::poll(&end, 1, static_cast<int>(std::chrono::milliseconds(leave_patience).count()));
  return true;
}

/// Nothing to who has let the name go.
void signal_holder(const Holding& keeper, const RuntimeFolder& folder, int number) {
  if (keeper.process && keeper.goes_on(folder)) process::signal_process(keeper.process, number);
}

std::string first_line_of(int pipe) {
  std::string text;
  for (char c = 0; ::read(pipe, &c, 1) == 1 && c != '\n';) text += c;
  return text;
}

}  // namespace

std::vector<HostSpec> hosts_of(const State& state) {
  std::vector<HostSpec> hosts;
  for (const HostState& host : state.hosts) {
    if (host.lost.empty()) hosts.push_back(host_of(host).spec);
  }
  return hosts;
}

std::vector<HostFacts> facts_of(const State& state, const std::vector<HostSpec>& hosts) {
  std::vector<HostFacts> facts;
  for (const HostSpec& host : hosts) {
    const auto found = std::ranges::find_if(
        state.hosts, [&](const HostState& other) { return other.host.name == host.name && other.lost.empty(); });
    if (found == state.hosts.end()) throw RunError("host " + host.name + " is no part of the machine any more");
    facts.push_back(host_of(*found).facts);
  }
  return facts;
}

// --- starting ------------------------------------------------------------------------------------------------------

void start_machine(const std::string& name, const Machine::Options& options) {
  check_name(name);
  process::Pipe pipe;
  process::Child keeper = process::start({.program = process::own_program(),
                                          .arguments = {keeper_argument},
                                          .input = to_text(order_of(name, options)) + "\n",
                                          .output = pipe.write.get(),
                                          .session = process::SessionOf::itself,
                                          .death_signal = SIGTERM});
  pipe.write.reset();
  const std::string line = first_line_of(pipe.read.get());
  if (line.empty()) throw RunError("the keeper of machine " + name + " has died while it was starting");
  const Message answer = parse(std::as_bytes(std::span(line)));
  if (std::holds_alternative<Done>(answer)) return;
  while (!keeper.ended()) ::usleep(1000);
  throw_failure(std::get<Failed>(answer));
}

// --- talking -------------------------------------------------------------------------------------------------------

class KeptMachine::Line final : public net::ConnectionOwner, public net::PacketHandler {
 public:
  explicit Line(const std::string& name) : folder_(name) {
    if (!folder_.exists() || !folder_.holder()) throw not_there(folder_);
    net::Fd socket = folder_.connect();
    if (!socket) throw RunError(unsettled_text());
    connection_ = std::make_unique<net::Connection>(
        std::move(socket), net::Connection::Origin::connecting,
        net::Connection::Options{folder_.read_secret(), self_, keeper_connection, keeper_tid}, poller_, *this, *this);
    wait_until([this] { return connection_->is_established(); }, answer_patience);
    state = ask<State>(Greeting{std::string(build_version()), ::getpid(), own_command_line()});
  }

  /// Sends a request and waits for its answer, which keepers give at once.
  template <typename Answer>
  Answer ask(const Message& request) {
    send(request);
    wait_until([this] { return answer_.has_value(); }, answer_patience);
    return take_answer<Answer>();
  }
  /// The same for what may take long. Reports come before the answer.
  void order(const Message& request) {
    reports.clear();
    pids.clear();
    send(request);
    wait_for_long();
    remarks_.hand_over();
    (void)take_answer<Done>();
    pids.clear();
  }
  void send(const Message& message) {
    answer_.reset();
    say(message);
  }

  State state;
  std::vector<std::string> reports;
  std::vector<long> pids;
  std::function<void()> on_start;
  std::function<void(int)> on_wait;
  std::function<void(const std::string&)> on_remark;
  std::chrono::milliseconds silence_before_asking = usual_silence_before_asking;

 private:
  // net::ConnectionOwner, net::PacketHandler
  bool admits(net::Connection&, Tid) override { return false; }
  void established(net::Connection&) override {}
  void lost(net::Connection&, const std::string&) override { lost_ = true; }
  net::Landing begin_packet(const Envelope& envelope) override {
    packet_.resize(envelope.payload_bytes);
    return {net::Landing::Verdict::take, packet_.data(), nullptr};
  }
  void end_packet(const Envelope& envelope, const net::Landing&) override {
    const std::string_view text(reinterpret_cast<const char*>(packet_.data()), packet_.size());
    if (envelope.kind == PacketKind::data) take_output(text);
    if (envelope.kind == PacketKind::report) take_report(static_cast<std::size_t>(envelope.tag), text);
    if (envelope.kind == PacketKind::control) hear(parse(packet_));
  }
  void packet_sent(net::Packet&) override {}

  void say(const Message& message) {
    protocol::send_text(*connection_, self_, keeper_tid, to_text(message));
    // What does not fit the socket's buffer leaves while the answer is waited for.
  }
  /// In whatever pieces it comes.
  void take_output(std::string_view text) {
    if (!on_remark) {
      (void)write_all(STDERR_FILENO, text);  // or nobody reads it
      return;
    }
    remarks_.take(text, Clock::now());
  }
  void take_report(std::size_t rank, std::string_view piece) {
    if (reports.size() <= rank) reports.resize(rank + 1);
    reports[rank] += piece;
  }
  void hear(Message message) {
    if (const auto* waiting = std::get_if<Waiting>(&message)) {
      if (on_wait) on_wait(waiting->before);
    } else if (const auto* started = std::get_if<Started>(&message)) {
      pids = started->pids;
      if (on_start) on_start();
    } else if (signs_due_ > 0 && std::holds_alternative<State>(message)) {
      --signs_due_;
    } else {
      answer_ = std::move(message);
    }
  }
  template <typename Answer>
  Answer take_answer() {
    Message answer = std::move(*std::exchange(answer_, std::nullopt));
    if (const auto* failed = std::get_if<Failed>(&answer)) throw_failure(*failed);
    if (auto* wanted = std::get_if<Answer>(&answer)) return std::move(*wanted);
    throw RunError("the keeper of machine " + folder_.name() + " has given another answer than was asked for");
  }
  template <typename Condition>
  void wait_until(Condition done, std::chrono::milliseconds patience) {
    const auto deadline = Clock::now() + patience;
    while (!done()) {
      if (lost_) throw RunError(loss_text());
      const std::chrono::nanoseconds left = deadline - Clock::now();
      if (left <= 0ns) throw RunError(silence_text());
      (void)poller_.wait(left);
    }
  }
  /// For the answer, however late it comes: a keeper that says nothing is asked for a sign of life, which it gives
  /// also while a program runs. Silences are counted, not measured from the last word: this process may have been
  /// stopped, or have waited for whoever reads its output.
  void wait_for_long() {
    for (int silences = 0; !answer_.has_value();) {
      if (lost_) throw RunError(loss_text());
      if (poller_.wait(silence_before_asking) > 0) {
        silences = 0;
        continue;
      }
      if (++silences > most_silences) throw RunError(silence_text());
      ++signs_due_;
      say(Status{});
    }
  }
  [[nodiscard]] std::string unsettled_text() const {
    return "machine " + folder_.name() + " is about to start or to end: try again";
  }
  /// A keeper that still listens has not been convinced.
  [[nodiscard]] std::string loss_text() const {
    if (connection_->is_established()) {
      return "machine " + folder_.name() + " is gone: its keeper has closed the connection";
    }
    if (!folder_.connect()) return unsettled_text();
    return "the keeper of machine " + folder_.name() + " does not accept the secret in " + folder_.path("secret") +
           ", which somebody has changed: nasvm vm stop " + folder_.name() + " ends it";
  }
  [[nodiscard]] std::string silence_text() const {
    return "the keeper of machine " + folder_.name() + " does not answer: nasvm vm stop " + folder_.name() +
           " ends it";
  }

  RuntimeFolder folder_;
  net::Poller poller_;
  SignalWatch signals_{poller_};
  Tid self_ = random_tid();
  bool lost_ = false;
  int signs_due_ = 0;  ///< states that have been asked for as signs of life, and have not come yet
  std::vector<std::byte> packet_;
  process::LinePieces remarks_{[this](std::string_view line, bool) { on_remark(std::string(line)); }, false};
  std::optional<Message> answer_;
  std::unique_ptr<net::Connection> connection_;
};

KeptMachine::KeptMachine(const std::string& name) : line_(std::make_unique<Line>(name)) {}
KeptMachine::~KeptMachine() = default;

const State& KeptMachine::state() const { return line_->state; }

const State& KeptMachine::look() {
  line_->state = line_->ask<State>(Status{});
  return line_->state;
}

std::vector<std::string> KeptMachine::run(const Machine::Program& program) {
  line_->order(request_of(program));
  return std::move(line_->reports);
}

void KeptMachine::add(const std::vector<HostSpec>& hosts) { line_->order(Add{entries_of(hosts)}); }
void KeptMachine::remove(const std::vector<std::string>& names) { line_->order(Remove{names}); }
std::vector<long> KeptMachine::task_pids() const { return line_->pids; }
void KeptMachine::on_start(std::function<void()> callback) { line_->on_start = std::move(callback); }
void KeptMachine::on_wait(std::function<void(int)> callback) { line_->on_wait = std::move(callback); }
void KeptMachine::on_remark(std::function<void(const std::string&)> callback) {
  line_->on_remark = std::move(callback);
}
void KeptMachine::ask_after(std::chrono::milliseconds silence) { line_->silence_before_asking = silence; }

// --- ending --------------------------------------------------------------------------------------------------------

namespace {

/// What a dead keeper has left; `dead`: its process id. The name may be another's by then.
Ending clear_away(const RuntimeFolder& folder, std::optional<pid_t> dead, Ending how) {
  if (folder.clear_away()) return how;
  const auto holder = folder.holder();
  if (holder != dead) return how;
  if (!holder) throw RunError("machine " + folder.name() + ": " + folder.path("") + " cannot be removed");
  throw RunError("machine " + folder.name() + ": a process that does not end, or says not who it is, or " +
                 "belongs to another container, holds " + folder.path("lock"));
}

/// As `holder`, but 0 only of one that does not say who it is.
std::optional<pid_t> known_holder(const RuntimeFolder& folder) {
  (void)comes_true([&] { return folder.holder() != 0; }, word_patience);
  return folder.holder();
}

}  // namespace

Ending stop_machine(const std::string& name) {
  const RuntimeFolder folder(name);
  if (!folder.exists()) throw not_there(folder);
  const auto pid = known_holder(folder);
  if (!pid) return clear_away(folder, pid, Ending::cleared);
  const Holding keeper{*pid, *pid == 0 ? net::Fd() : process::process_descriptor(*pid)};
  if (!keeper.goes_on(folder)) return stop_machine(name);  // it has ended meanwhile: the number may be another's
  try {
    KeptMachine machine(name);
    machine.line_->send(Stop{});
    if (has_ended(keeper, folder, end_patience)) return clear_away(folder, pid, Ending::stopped);
  } catch (const Interrupted&) {
    throw;
  } catch (const Error&) {
    // It is starting or ending, of another version, has too many clients, or hangs: it may still hear a signal.
    signal_holder(keeper, folder, SIGTERM);
    if (has_ended(keeper, folder, end_patience)) return clear_away(folder, pid, Ending::stopped);
  }
  signal_holder(keeper, folder, SIGKILL);
  (void)has_ended(keeper, folder, kill_patience);
  return clear_away(folder, pid, Ending::killed);
}

}  // namespace nasvm::keeper
