#include "vm/system/pvm/pvmd.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <fstream>
#include <optional>
#include <utility>

#include "vm/launch/remote_shell.hpp"
#include "vm/launch/signal_watch.hpp"
#include "vm/net/interfaces.hpp"
#include "vm/process/pipe.hpp"
#include "vm/status.hpp"
#include "vm/system/order.hpp"
#include "vm/system/pvm/pvm_host.hpp"
#include "vm/system/pvm/pvm_places.hpp"
#include "vm/system/pvm/remote_pvm_host.hpp"
#include "vm/system/remarks.hpp"

namespace nasvm {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr auto pvmd_deadline = 15s;     ///< for PVM's daemon to say where it listens
constexpr auto machine_deadline = 60s;  ///< for all hosts to be a part of PVM's machine
constexpr auto more_patience = 300ms;   ///< for a graver failure to show after the first
constexpr auto remote_patience = 1s;    ///< the same where it has to come from another host
constexpr auto dismiss_patience = 4s;   ///< for the other hosts to end what is there
constexpr auto pause = 2ms;             ///< between two looks at them

PvmShare share_of(const Machine::Program& program, const Parameters& parameters, const PvmPlaces& places) {
  PvmShare share{program.path, program.arguments, program.environment, order_for(program, parameters), places.here};
  share.order.size = program.size;
  share.order.hosts = static_cast<int>(places.others.size()) + 1;
  return share;
}

// --- PvmJob -----------------------------------------------------------------------------------------------------

/// PVM's first daemon and the tasks of this host are children; the others' are those of a process on each of them.
class PvmJob final : public SystemProcesses {
 public:
  PvmJob(const PvmPlaces& places, const std::vector<std::string>& shell, const Machine::Program& program,
         const Parameters& parameters)
      : size_(program.size),
        places_(places),
        roster_(program.size),
        here_(share_of(program, parameters, places), poller_,
              {.pvmd = [this](const std::string& line) { hear_pvmd(line); },
               .pvmd_error = [this](const std::string& line) { remarks_.add(line); },
               .task = [this](const std::string& line) { roster_.hear_output(line); },
               .task_error =
                   [this](const std::string& line) {
                     if (!roster_.hear_error(line)) remarks_.add(line);
                   }}) {
    for (const PvmPlace& place : places_.others) {
      others_.push_back(std::make_unique<RemotePvmHost>(place, share_of(program, parameters, places), shell, poller_,
                                                        roster_, [this](const std::string& line) { answer(line); }));
    }
    if (others_.empty()) start_pvmd();
  }
  ~PvmJob() override { end(); }

  bool ended() override;
  bool ending() const override { return here_.ending() || is_being_made(); }
  std::chrono::milliseconds patience() const override { return others_.empty() ? more_patience : remote_patience; }
  void end() override;
  pid_t system_pid() const override { return here_.pvmd_pid(); }
  TaskRoster& roster() override { return roster_; }
  net::Poller& poller() override { return poller_; }

 private:
  [[nodiscard]] bool is_being_made() const { return !others_.empty() && !tasks_started_; }
  /// The next step towards PVM's machine, when the last has been done.
  void go_on();
  void start_pvmd();
  void start_tasks();
  /// PVM's first daemon says where it listens, and then asks for those of other hosts.
  void hear_pvmd(const std::string& line);
  /// Hands it what another host's daemon has said.
  void answer(const std::string& line);
  void dismiss_others();
  bool judge_tasks();
  /// Is the task over? Its failure is noted.
  bool judge(Rank rank, std::optional<int> status);
  /// Is PVM's daemon over? That is a failure, and is noted.
  bool judge_pvmd();
  void judge_machine();
  [[nodiscard]] std::string describe_end(int wait_status) const;

  int size_;
  PvmPlaces places_;
  net::Poller poller_;
  SignalWatch signals_{poller_};
  TaskRoster roster_;
  Remarks remarks_;  ///< of PVM's daemon and the tasks
  bool pvmd_listens_ = false;
  bool tasks_started_ = false;
  Clock::time_point begin_ = Clock::now();
  net::Fd pvmd_input_;
  PvmHost here_;
  std::vector<std::unique_ptr<RemotePvmHost>> others_;
};

void PvmJob::start_pvmd() {
  // On the loopback interface, whatever this host is called, as long as it is alone.
  if (others_.empty()) return here_.start_pvmd({"-n127.0.0.1"});
  const HostSpec& other = places_.others.front().host;
  const std::string address = net::address_towards(other.address);
  if (address.empty()) {
    throw UsageError(
        fmt::format("{}: there is no way from here to {} ({})", other.source, other.name, other.address));
  }
  const std::string file = here_.folder() + "/hosts";
  std::ofstream(file) << pvm_hostfile(places_.others);
  process::Pipe pipe;
  pvmd_input_ = std::move(pipe.write);
  here_.start_pvmd({"-n" + address, file}, pipe.read.get());
}

/// All that it says at first is where it listens.
void PvmJob::hear_pvmd(const std::string& line) {
  pvmd_listens_ = true;
  const auto start = parse_pvm_start(line);
  if (!start.has_value()) return;
  const auto other = std::ranges::find_if(others_, [&](const auto& one) { return one->name() == start->host; });
  if (other != others_.end()) (*other)->start_pvmd(start->arguments);
}

void PvmJob::answer(const std::string& line) {
  (void)process::write_without_signal(pvmd_input_.get(), line + "\n");  // if it has died that is noted elsewhere
}

void PvmJob::start_tasks() {
  tasks_started_ = true;
  here_.start_tasks();
  for (const auto& other : others_) other->start_tasks();
}

/// The daemons of other hosts are asked for one after the other, in hear_pvmd.
void PvmJob::go_on() {
  if (here_.pvmd_pid() == 0) {
    if (std::ranges::all_of(others_, [](const auto& other) { return other->ready(); })) start_pvmd();
    return;
  }
  const bool all_answered = std::ranges::all_of(others_, [](const auto& other) { return other->answered(); });
  if (pvmd_listens_ && all_answered) start_tasks();
}

bool PvmJob::ended() {
  for (const auto& other : others_) other->watch();
  judge_machine();
  if (!tasks_started_) {
    (void)judge_pvmd();
    if (!roster_.verdict().failed()) go_on();
    return false;
  }
  const bool all = judge_tasks();
  if (all && !roster_.reported()) roster_.note(Gravity::complaint, "the tasks have ended, but have reported nothing");
  // Tasks whose daemon dies know it before it can be reaped, and give up.
  const bool pvmd_ended = judge_pvmd();
  return all && (pvmd_ended || !roster_.verdict().failed());
}

bool PvmJob::judge_tasks() {
  bool all = true;
  for (std::size_t place = 0; place < here_.ranks().size(); ++place) {
    all = judge(here_.ranks()[place], here_.task_ended(place)) && all;
  }
  for (const auto& other : others_) {
    for (const Rank rank : other->ranks()) all = judge(rank, other->task_ended(rank)) && all;
  }
  return all;
}

bool PvmJob::judge(Rank rank, std::optional<int> status) {
  if (!status.has_value()) return false;
  if (*status != 0) {
    // Who writes to a daemon that has died gets SIGPIPE: a consequence.
    const bool killed = WIFSIGNALED(*status) && WTERMSIG(*status) != SIGPIPE;
    roster_.note(killed ? Gravity::killed : Gravity::exited, roster_.describe(rank) + " " + describe_end(*status));
  }
  return true;
}

bool PvmJob::judge_pvmd() {
  const auto status = here_.pvmd_ended();
  if (status.has_value()) {
    roster_.note(Gravity::killed, fmt::format("PVM's daemon pvmd (pid {}) {}", system_pid(), describe_end(*status)));
  } else if (others_.empty() && !pvmd_listens_ && Clock::now() > begin_ + pvmd_deadline) {
    roster_.note(Gravity::complaint,
                 remarks_.after(fmt::format("PVM's daemon pvmd (pid {}) has not come up within {} s", system_pid(),
                                            pvmd_deadline.count())));
  }
  return status.has_value();
}

void PvmJob::judge_machine() {
  if (others_.empty() || roster_.all_joined() || Clock::now() < begin_ + machine_deadline) return;
  const auto silent = std::ranges::find_if(others_, [](const auto& other) { return !other->answered(); });
  const std::string text = silent != others_.end()
                               ? fmt::format("host {} has not become a part of PVM's machine within {} s",
                                             (*silent)->name(), machine_deadline.count())
                               : fmt::format("not all of the {} tasks have joined PVM's machine within {} s", size_,
                                             machine_deadline.count());
  roster_.note(Gravity::complaint, remarks_.after(text));
}

std::string PvmJob::describe_end(int wait_status) const {
  const std::string end = process::describe_wait_status(wait_status);
  return WIFSIGNALED(wait_status) ? end : remarks_.after(end);
}

/// They go before PVM's first daemon does, which would tell that each of them is lost.
void PvmJob::dismiss_others() {
  for (const auto& other : others_) other->dismiss();
  const auto deadline = Clock::now() + dismiss_patience;
  const auto is_gone = [](const auto& other) { return other->gone(); };
  while (!std::ranges::all_of(others_, is_gone) && Clock::now() < deadline) {
    try {
      (void)poller_.wait(pause);
    } catch (const Error&) {
      // It is ending already.
    }
  }
  for (const auto& other : others_) other->end();
  others_.clear();
}

void PvmJob::end() {
  dismiss_others();
  here_.end();
}

}  // namespace

SystemStarter pvm_starter(std::vector<HostSpec> hosts, const std::string& rsh) {
  (void)find_pvmd();  // says early when it is not there
  const auto shell = all_here(hosts) ? std::vector<std::string>{} : remote_shell(rsh, "transport pvm");
  return [hosts = std::move(hosts), shell](const Machine::Program& program, const Parameters& parameters) {
    return std::make_unique<PvmJob>(pvm_places(hosts, program.size), shell, program, parameters);
  };
}

}  // namespace nasvm
