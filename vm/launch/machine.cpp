#include "vm/launch/machine.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <set>

#include "vm/launch/daemons.hpp"
#include "vm/launch/launcher.hpp"
#include "vm/launch/program_run.hpp"
#include "vm/launch/signal_watch.hpp"
#include "vm/launch/task_services.hpp"
#include "vm/launch/verdict.hpp"
#include "vm/net/interfaces.hpp"
#include "vm/process/subreaper.hpp"
#include "vm/protocol/protocol.hpp"
#include "vm/write_all.hpp"

namespace nasvm {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr auto copy_patience = 300s;      ///< until the build has been handed over, where it is copied
constexpr auto daemon_patience = 15s;     ///< from then until all daemons have said hello
constexpr auto task_patience = 120s;      ///< until all tasks have joined
constexpr auto orphan_patience = 2s;      ///< until tasks of dead daemons are gone
constexpr auto kill_patience = 2s;        ///< until the daemons have killed all tasks
constexpr auto long_kill_patience = 10s;  ///< the same, where a daemon that has not is given up
constexpr auto answer_patience = 1s;      ///< until all tasks have said what they wait for
constexpr auto cause_patience = 150ms;    ///< a death may have consequences that are heard of before it
/// Between two looks at what no descriptor tells of; shorter while failures are collected.
constexpr std::chrono::nanoseconds look_interval = 100ms;
constexpr std::chrono::nanoseconds failing_look_interval = 10ms;

}  // namespace

/// The parts of a Machine, and their common life.
class Machine::Console final : private TaskListener {
 public:
  explicit Console(const Options& options);
  ~Console() override { shut_down(); }

  std::vector<std::string> run(const Program& program);

  [[nodiscard]] const std::vector<HostFacts>& facts() const { return daemons_.facts(); }
  [[nodiscard]] std::vector<long> task_pids() const;
  std::function<void()> on_start;

  // Of a machine that goes on.
  std::vector<std::string> run_and_go_on(const Program& program);
  [[nodiscard]] bool goes_on() const { return options_.goes_on; }
  [[nodiscard]] std::vector<Host> all_hosts() const;
  [[nodiscard]] std::vector<RunningTask> running_tasks() const;
  void add(const std::vector<HostSpec>& hosts);
  void remove(const std::vector<std::string>& names);
  void idle(std::chrono::nanoseconds most);
  [[nodiscard]] net::Poller& poller() { return poller_; }
  void cancel(const std::string& text) { cancelled_ = text; }

 private:
  // TaskListener
  void task_ready(const protocol::Ready& ready) override;
  void task_exited(const protocol::Exited& exited) override;
  void task_not_started(const protocol::NotStarted& refused) override;
  void task_blocked(const protocol::Blocked& blocked) override;
  void task_waits(const protocol::Waits& waits) override;
  void gave_up(const protocol::Failed& failed) override;
  void task_asks(const protocol::Message& request) override;
  void task_reported(Tid task, std::string_view piece) override;
  void host_lost(std::size_t host, Gravity gravity, const std::string& text) override;
  void remark(const std::string& line) override;

  [[nodiscard]] std::string daemon_of(Tid tid) const;
  void start(Launcher& launcher, std::size_t first);
  void carry_out(const Program& program, Clock::time_point deadline);
  void wait_until(const std::function<bool()>& done, Clock::time_point deadline,
                  const std::function<std::string()>& overdue);
  [[nodiscard]] std::string where_all_are();
  [[noreturn]] void give_up();
  void end_tasks();
  void end_orphans();
  void shut_down();

  // Of a machine that goes on.
  void begin_anew();
  void recover();
  void strike_off(std::size_t host, const std::string& reason);
  void check_new(const std::vector<HostSpec>& hosts) const;
  [[nodiscard]] std::size_t position_of(const std::string& name) const;

  Options options_;
  net::Poller poller_;
  SignalWatch signals_{poller_};
  process::Subreaper subreaper_;  ///< tasks of a daemon that has died
  Verdict verdict_;
  Daemons daemons_;
  std::vector<TaskHost> hosts_;
  std::optional<ProgramRun> run_;
  std::optional<TaskServices> services_;  ///< of that run
  bool broken_ = false;                   ///< nothing more can be run
  std::optional<std::string> cancelled_;
};

// --- starting ------------------------------------------------------------------------------------------------------

Machine::Console::Console(const Options& options)
    : options_(options), daemons_(options.hosts, poller_, *this, verdict_) {
  if (options.hosts.empty()) throw UsageError("a machine without hosts cannot be started: name one at least");
  const auto launcher = make_launcher(options.launcher, options.launchers, {options.rsh, options.copy});
  try {
    start(*launcher, 0);
  } catch (...) {
    shut_down();
    throw;
  }
  for (std::size_t host = 0; host < options.hosts.size(); ++host) {
    hosts_.push_back({options.hosts[host], daemons_.facts()[host].computer});
  }
}

void Machine::Console::start(Launcher& launcher, std::size_t first) {
  daemons_.start(launcher, options_.interface, first);
  wait_until([&] { return daemons_.have_been_copied() || daemons_.all_greeted(); }, Clock::now() + copy_patience,
             [&] { return "the build has not been copied within 300 s to: " + daemons_.not_greeted(); });
  wait_until([&] { return daemons_.all_greeted(); }, Clock::now() + daemon_patience,
             [&] { return "no daemon has come up within 15 s on: " + daemons_.not_greeted(); });
  daemons_.introduce();
}

// --- running -------------------------------------------------------------------------------------------------------

std::vector<std::string> Machine::Console::run(const Program& program) {
  if (broken_) throw RunError("the virtual machine has failed before and cannot run anything more");
  const auto deadline = program.timeout.count() > 0 ? Clock::now() + program.timeout : Clock::time_point::max() - 1h;
  try {
    carry_out(program, deadline);
  } catch (...) {
    // Who gives up has ended the tasks; of a program that cannot be placed there are none.
    if (run_.has_value() && !broken_) end_tasks();
    throw;
  }
  auto reports = run_->take_reports();
  end_orphans();  // of a host whose loss the run has survived
  services_.reset();
  run_.reset();
  return reports;
}

void Machine::Console::carry_out(const Program& program, Clock::time_point deadline) {
  run_.emplace(program, hosts_);
  services_.emplace(*run_, [this](std::size_t host, const protocol::Message& told) { daemons_.tell(host, told); });
  for (const auto& [host, message] : run_->spawns()) daemons_.tell(host, message);
  const auto timed_out = [&] { return overdue_text(program.timeout, program.timeout_option); };
  const auto stands_still = [&] { return timed_out() + where_all_are(); };
  const auto join_deadline = Clock::now() + task_patience;
  wait_until([&] { return run_->all_ready(); }, std::min(deadline, join_deadline),
             [&] { return deadline < join_deadline ? timed_out() : "not every task has joined within 120 s"; });
  daemons_.tell_all(run_->start());
  if (on_start) on_start();
  try {
    wait_until([&] { return run_->all_over(); }, deadline, stands_still);
  } catch (const Interrupted& interrupt) {
    if (program.timeout.count() > 0) throw;
    throw Interrupted(interrupt.signal_number(), where_all_are());  // no time-out would ever tell
  }
  services_->end_spawned();
  wait_until([&] { return run_->live().empty(); }, Clock::now() + daemon_patience,
             [] { return "a spawned task does not end within 15 s, though it was killed"; });
}

void Machine::Console::wait_until(const std::function<bool()>& done, Clock::time_point deadline,
                                  const std::function<std::string()>& overdue) {
  bool is_overdue = false;
  for (;;) {
    const auto now = Clock::now();
    if (cancelled_.has_value()) throw Cancelled(*cancelled_);
    if (services_.has_value()) services_->look(now);
    if (verdict_.due(now, cause_patience)) give_up();
    if (!verdict_.failed() && done()) return;
    if (now >= deadline && !std::exchange(is_overdue, true)) verdict_.note(Gravity::overdue, overdue(), now);
    const std::chrono::nanoseconds left = deadline - now;
    (void)poller_.wait(verdict_.failed() ? failing_look_interval : std::min(left, look_interval));
    daemons_.watch();
  }
}

/// Asks all tasks, and hears them for a while: who computes does not answer.
std::string Machine::Console::where_all_are() {
  daemons_.tell_all(protocol::Where{});
  for (const auto end = Clock::now() + answer_patience; !run_->all_have_said() && Clock::now() < end;) {
    (void)poller_.wait(failing_look_interval);
    daemons_.watch();
  }
  return run_->where_all_are();
}

void Machine::Console::task_ready(const protocol::Ready& ready) {
  if (!run_.has_value()) return;
  run_->take(ready);
  services_->joined();
}

void Machine::Console::task_exited(const protocol::Exited& exited) {
  if (!run_.has_value()) return;
  run_->take(exited, verdict_, Clock::now());
  services_->ended(exited);
}

/// Of a task's spawn that is an answer to it; the first world cannot do without.
void Machine::Console::task_not_started(const protocol::NotStarted& refused) {
  if (!run_.has_value() || !run_->has(refused.tid)) return;
  const std::string text = daemon_of(refused.tid) + ": " + refused.text;
  if (run_->world_of(refused.tid) == 0) return verdict_.note(Gravity::failed, text, Clock::now(), refused.exit);
  run_->take(refused);
  services_->not_started(refused.tid, text, refused.exit);
}

void Machine::Console::task_blocked(const protocol::Blocked& blocked) {
  if (run_.has_value()) run_->take(blocked, verdict_, Clock::now());
}

void Machine::Console::task_waits(const protocol::Waits& waits) {
  if (run_.has_value()) run_->take(waits);
}

void Machine::Console::gave_up(const protocol::Failed& failed) {
  if (run_.has_value() && run_->has(failed.tid)) {
    services_->gave_up(failed);
    return run_->take(failed, verdict_, Clock::now());
  }
  verdict_.note(Gravity::failed, daemon_of(failed.tid) + ": " + failed.text, Clock::now(), failed.exit);
}

/// "daemon of host left"; `tid`: of the daemon, or of a task there.
std::string Machine::Console::daemon_of(Tid tid) const {
  const auto host = static_cast<std::size_t>(tid.host()) - 1;
  return host < daemons_.facts().size() ? "daemon of host " + daemons_.name(host) : "a daemon";
}

void Machine::Console::task_asks(const protocol::Message& request) {
  if (services_.has_value()) services_->take(request, Clock::now());
}

void Machine::Console::task_reported(Tid task, std::string_view piece) {
  if (run_.has_value()) run_->take_report(task, piece);
}

/// A run goes on when all its tasks of that host were watched by others (vm/launch/task_services.hpp), a kept machine
/// in any case.
void Machine::Console::host_lost(std::size_t host, Gravity gravity, const std::string& text) {
  if (host < hosts_.size() && !hosts_[host].is_there()) return;
  const bool concerned = run_.has_value() && !run_->live_on(host).empty();
  const bool survived = run_.has_value() && services_->host_lost(host, text);
  if (!survived && (concerned || !goes_on())) verdict_.note(gravity, text, Clock::now());
  if (survived || goes_on()) strike_off(host, text);
}

void Machine::Console::remark(const std::string& line) {
  if (options_.on_remark) return options_.on_remark(line);
  (void)write_all(STDERR_FILENO, line + "\n");
}

std::vector<long> Machine::Console::task_pids() const {
  return run_.has_value() ? run_->pids() : std::vector<long>{};
}

// --- ending --------------------------------------------------------------------------------------------------------

/// The verdict is what was known before the tasks were ended; what that brings about is no failure.
void Machine::Console::give_up() {
  const Verdict verdict = verdict_;
  end_tasks();
  verdict.pronounce();
}

void Machine::Console::end_tasks() {
  broken_ = true;
  if (services_.has_value()) services_->stop();  // a daemon that has said that all are killed must get no more
  daemons_.kill_tasks(goes_on() ? long_kill_patience : kill_patience);
}

void Machine::Console::shut_down() {
  broken_ = true;
  daemons_.end();
  end_orphans();
}

/// Tasks of a daemon that was killed have been killed with it, and are our children now where it was one; so is what
/// they had started, which goes on. Elsewhere, also in another container of this computer, the same numbers are other
/// processes'.
void Machine::Console::end_orphans() {
  if (!run_.has_value()) return;
  bool has_lost_some = false;
  std::vector<pid_t> orphans;
  for (std::size_t host = 0; host < hosts_.size(); ++host) {
    if (!daemons_.has_left_orphans(host, orphan_patience)) continue;
    has_lost_some = true;
    const auto pids = run_->pids_on(host);
    orphans.insert(orphans.end(), pids.begin(), pids.end());
  }
  process::end_orphans(orphans, orphan_patience);
  // Where this process is a task itself, all of its children look like what tasks have started.
  if (!has_lost_some || std::getenv(protocol::task_fd_variable) != nullptr) return;
  process::end_other_children(daemons_.helpers(), orphan_patience, protocol::task_fd_variable);
}

// --- going on ------------------------------------------------------------------------------------------------------

std::vector<std::string> Machine::Console::run_and_go_on(const Program& program) {
  begin_anew();
  try {
    return run(program);
  } catch (...) {
    recover();
    throw;
  }
}

/// What has happened before concerns nobody any more.
void Machine::Console::begin_anew() {
  verdict_ = {};
  cancelled_.reset();
  broken_ = false;
}

/// After a failed run: no task of it is left on the hosts that are.
void Machine::Console::recover() {
  if (!run_.has_value()) return;  // it has not begun
  for (const std::size_t host : daemons_.with_tasks_left()) strike_off(host, "its tasks could not be ended");
  end_orphans();
  services_.reset();
  run_.reset();
  begin_anew();
}

void Machine::Console::strike_off(std::size_t host, const std::string& reason) {
  if (host >= hosts_.size() || !hosts_[host].is_there()) return;
  hosts_[host].lost = reason;
  daemons_.forget(host);
}

void Machine::Console::idle(std::chrono::nanoseconds most) {
  (void)poller_.wait(most);
  daemons_.watch();
}

std::vector<Machine::Host> Machine::Console::all_hosts() const {
  std::vector<Host> all;
  for (std::size_t host = 0; host < hosts_.size(); ++host) {
    all.push_back({hosts_[host].spec, daemons_.facts()[host], hosts_[host].lost, hosts_[host].removed});
  }
  return all;
}

std::vector<Machine::RunningTask> Machine::Console::running_tasks() const {
  return run_.has_value() ? run_->running() : std::vector<RunningTask>{};
}

std::size_t Machine::Console::position_of(const std::string& name) const {
  const auto found =
      std::ranges::find_if(hosts_, [&](const TaskHost& host) { return host.is_there() && host.spec.name == name; });
  return static_cast<std::size_t>(found - hosts_.begin());
}

void Machine::Console::check_new(const std::vector<HostSpec>& hosts) const {
  if (hosts_.size() + hosts.size() > static_cast<std::size_t>(max_hosts)) {
    throw UsageError(
        fmt::format("the machine has numbers for {} hosts, and those that are gone keep theirs: end it "
                    "with nasvm vm stop, and start it anew",
                    max_hosts));
  }
  const bool inward = std::ranges::any_of(hosts_, [&](const TaskHost& host) {
    return host.is_there() &&
           net::is_loopback(daemons_.facts()[static_cast<std::size_t>(&host - hosts_.data())].address);
  });
  for (const HostSpec& host : hosts) {
    if (position_of(host.name) < hosts_.size()) {
      throw UsageError("host " + host.name + " is a part of the machine already");
    }
    const auto same = std::ranges::find_if(
        hosts_, [&](const TaskHost& other) { return other.is_there() && is_one_host(other.spec, host); });
    if (same != hosts_.end()) {
      throw UsageError("host " + host.name + " is a part of the machine already, as " + same->spec.name);
    }
    if (inward && host.address.empty()) {
      throw UsageError("host " + host.name +
                       " has no address that can be found here, and this machine's hosts talk over the loopback "
                       "interface: is the name right?");
    }
    if (inward && !is_this_computer(host)) {
      throw UsageError("host " + host.name +
                       " is another computer, but this machine's hosts talk over the loopback interface: start the "
                       "machine with --interface, or with hosts that others can reach");
    }
  }
}

void Machine::Console::add(const std::vector<HostSpec>& hosts) {
  check_new(hosts);
  begin_anew();
  const std::size_t first = hosts_.size();
  const bool all_local = options_.launcher != "local" || all_here(hosts);
  const auto launcher =
      make_launcher(all_local ? options_.launcher : "ssh", options_.launchers, {options_.rsh, options_.copy});
  for (const HostSpec& host : hosts) {
    daemons_.add(host);
    hosts_.push_back({host, ""});
  }
  try {
    start(*launcher, first);
  } catch (...) {
    for (std::size_t host = first; host < hosts_.size(); ++host) {
      hosts_[host].removed = true;
      daemons_.forget(host);
    }
    daemons_.end_admission();
    begin_anew();
    throw;
  }
  for (std::size_t host = first; host < hosts_.size(); ++host)
    hosts_[host].computer = daemons_.facts()[host].computer;
}

void Machine::Console::remove(const std::vector<std::string>& names) {
  std::set<std::size_t> hosts;
  for (const std::string& name : names) {
    const std::size_t host = position_of(name);
    if (host == hosts_.size()) throw UsageError("host " + name + " is no part of the machine");
    hosts.insert(host);
  }
  if (std::ranges::count_if(hosts_, &TaskHost::is_there) == static_cast<std::ptrdiff_t>(hosts.size())) {
    throw UsageError("a machine has one host at least: leave one, or end it with nasvm vm stop");
  }
  for (const std::size_t host : hosts) {
    hosts_[host].removed = true;
    try {
      daemons_.dismiss(host);
    } catch (...) {
      daemons_.forget(host);
      throw;
    }
    daemons_.forget(host);
  }
}

// --- Machine -------------------------------------------------------------------------------------------------------

Machine::Machine(const Options& options) : console_(std::make_unique<Console>(options)) {}
Machine::~Machine() = default;

std::vector<std::string> Machine::run(const Program& program) {
  return console_->goes_on() ? console_->run_and_go_on(program) : console_->run(program);
}
const std::vector<HostFacts>& Machine::hosts() const { return console_->facts(); }
std::vector<long> Machine::task_pids() const { return console_->task_pids(); }
void Machine::on_start(std::function<void()> callback) { console_->on_start = std::move(callback); }

std::vector<Machine::Host> Machine::all_hosts() const { return console_->all_hosts(); }
std::vector<Machine::RunningTask> Machine::running_tasks() const { return console_->running_tasks(); }
void Machine::add(const std::vector<HostSpec>& hosts) { console_->add(hosts); }
void Machine::remove(const std::vector<std::string>& names) { console_->remove(names); }
void Machine::idle(std::chrono::nanoseconds most) { console_->idle(most); }
net::Poller& Machine::poller() { return console_->poller(); }
void Machine::cancel(const std::string& text) { console_->cancel(text); }

std::string overdue_text(std::chrono::milliseconds timeout, const std::string& option) {
  return fmt::format("the run has not finished within its time-out of {} s{}",
                     std::chrono::duration<double>(timeout).count(),
                     option.empty() ? "" : fmt::format(" ({})", option));
}

}  // namespace nasvm
