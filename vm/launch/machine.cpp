#include "vm/launch/machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "vm/launch/daemons.hpp"
#include "vm/launch/launcher.hpp"
#include "vm/launch/program_run.hpp"
#include "vm/launch/signal_watch.hpp"
#include "vm/launch/task_services.hpp"
#include "vm/launch/verdict.hpp"
#include "vm/process/subreaper.hpp"

namespace nasvm {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr auto daemon_patience = 15s;   ///< until all daemons have said hello
constexpr auto task_patience = 120s;    ///< until all tasks have joined
constexpr auto orphan_patience = 2s;    ///< until tasks of dead daemons are gone
constexpr auto cause_patience = 150ms;  ///< a death may have consequences that are heard of before it
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

 private:
  // TaskListener
  void task_ready(const protocol::Ready& ready) override;
  void task_exited(const protocol::Exited& exited) override;
  void task_blocked(const protocol::Blocked& blocked) override;
  void gave_up(const protocol::Failed& failed) override;
  void task_asks(const protocol::Message& request) override;
  void task_reported(Tid task, std::string_view piece) override;
  void host_lost(std::size_t host, Gravity gravity, const std::string& text) override;

  void start(Launcher& launcher, const std::string& interface);
  void carry_out(const Program& program, Clock::time_point deadline);
  void wait_until(const std::function<bool()>& done, Clock::time_point deadline,
                  const std::function<std::string()>& overdue);
  [[noreturn]] void give_up();
  void end_tasks();
  void shut_down();

  net::Poller poller_;
  SignalWatch signals_{poller_};
  process::Subreaper subreaper_;  ///< tasks of a daemon that has died
  Verdict verdict_;
  Daemons daemons_;
  std::vector<TaskHost> hosts_;
  std::optional<ProgramRun> run_;
  std::optional<TaskServices> services_;  ///< of that run
  bool broken_ = false;                   ///< nothing more can be run
};

// --- starting ------------------------------------------------------------------------------------------------------

Machine::Console::Console(const Options& options) : daemons_(options.hosts, poller_, *this, verdict_) {
  const auto launcher = make_launcher(options.launcher, options.launchers, {options.rsh, options.copy});
  try {
    start(*launcher, options.interface);
  } catch (...) {
    shut_down();
    throw;
  }
  for (std::size_t host = 0; host < options.hosts.size(); ++host) {
    hosts_.push_back({options.hosts[host], daemons_.facts()[host].computer});
  }
}

void Machine::Console::start(Launcher& launcher, const std::string& interface) {
  daemons_.start(launcher, interface);
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
  } catch (const Interrupted&) {
    end_tasks();
    throw;
  }
  auto reports = run_->take_reports();
  services_.reset();
  run_.reset();
  return reports;
}

void Machine::Console::carry_out(const Program& program, Clock::time_point deadline) {
  run_.emplace(program, hosts_);
  services_.emplace(*run_, [this](std::size_t host, const protocol::Message& told) { daemons_.tell(host, told); });
  for (const auto& [host, message] : run_->spawns()) daemons_.tell(host, message);
  const auto timed_out = [&] { return overdue_text(program.timeout); };
  const auto join_deadline = Clock::now() + task_patience;
  wait_until([&] { return run_->all_ready(); }, std::min(deadline, join_deadline),
             [&] { return deadline < join_deadline ? timed_out() : "not every task has joined within 120 s"; });
  daemons_.tell_all(run_->start());
  if (on_start) on_start();
  wait_until([&] { return run_->all_over(); }, deadline, timed_out);
  services_->end_spawned();
  wait_until([&] { return run_->live().empty(); }, Clock::now() + daemon_patience,
             [] { return "a spawned task does not end within 15 s, though it was killed"; });
}

void Machine::Console::wait_until(const std::function<bool()>& done, Clock::time_point deadline,
                                  const std::function<std::string()>& overdue) {
  for (;;) {
    const auto now = Clock::now();
    if (verdict_.due(now, cause_patience)) give_up();
    if (!verdict_.failed() && done()) return;
    if (now >= deadline) verdict_.note(Gravity::overdue, overdue(), now);
    const std::chrono::nanoseconds left = deadline - now;
    (void)poller_.wait(verdict_.failed() ? failing_look_interval : std::min(left, look_interval));
    daemons_.watch();
  }
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

void Machine::Console::task_blocked(const protocol::Blocked& blocked) {
  if (run_.has_value()) run_->take(blocked, verdict_, Clock::now());
}

void Machine::Console::gave_up(const protocol::Failed& failed) {
  if (run_.has_value() && run_->has(failed.tid)) {
    services_->gave_up(failed);
    return run_->take(failed, verdict_, Clock::now());
  }
  const auto host = static_cast<std::size_t>(failed.tid.host()) - 1;
  const std::string who = host < daemons_.facts().size() ? "daemon of host " + daemons_.name(host) : "a daemon";
  verdict_.note(Gravity::failed, who + ": " + failed.text, Clock::now(), failed.exit);
}

void Machine::Console::task_asks(const protocol::Message& request) {
  if (run_.has_value()) services_->take(request);
}

void Machine::Console::task_reported(Tid task, std::string_view piece) {
  if (run_.has_value()) run_->take_report(task, piece);
}

/// The run goes on when all its tasks of that host were watched by others (vm/launch/task_services.hpp).
void Machine::Console::host_lost(std::size_t host, Gravity gravity, const std::string& text) {
  if (run_.has_value() && services_->host_lost(host, text)) return daemons_.forget(host);
  verdict_.note(gravity, text, Clock::now());
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
  daemons_.kill_tasks();
}

void Machine::Console::shut_down() {
  broken_ = true;
  daemons_.end();
  if (!run_.has_value()) return;
  // Tasks of a daemon that was killed have been killed with it and are our children now.
  std::vector<pid_t> orphans;
  for (std::size_t host = 0; host < hosts_.size(); ++host) {
    if (!daemons_.is_gone(host)) continue;
    const auto pids = run_->pids_on(host);
    orphans.insert(orphans.end(), pids.begin(), pids.end());
  }
  process::end_orphans(orphans, orphan_patience);
}

// --- Machine -------------------------------------------------------------------------------------------------------

Machine::Machine(const Options& options) : console_(std::make_unique<Console>(options)) {}
Machine::~Machine() = default;

std::vector<std::string> Machine::run(const Program& program) { return console_->run(program); }
const std::vector<HostFacts>& Machine::hosts() const { return console_->facts(); }
std::vector<long> Machine::task_pids() const { return console_->task_pids(); }
void Machine::on_start(std::function<void()> callback) { console_->on_start = std::move(callback); }

std::string overdue_text(std::chrono::milliseconds timeout) {
  return fmt::format("the run has not finished within its time-out of {} s (--timeout)",
                     std::chrono::duration<double>(timeout).count());
}

}  // namespace nasvm
