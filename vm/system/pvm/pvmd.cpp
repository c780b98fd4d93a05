#include "vm/system/pvm/pvmd.hpp"

#include <fmt/format.h>
#include <pwd.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <utility>

#include "vm/launch/signal_watch.hpp"
#include "vm/process/environment.hpp"
#include "vm/process/job.hpp"
#include "vm/process/programs.hpp"
#include "vm/status.hpp"
#include "vm/system/order.hpp"
#include "vm/system/remarks.hpp"
#include "vm/system/scratch_folder.hpp"

namespace nasvm {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr auto pvmd_deadline = 15s;    ///< for PVM's daemon to say where it listens
constexpr auto halt_patience = 1s;     ///< for it to end in good order
constexpr auto more_patience = 300ms;  ///< for a graver failure to show after the first
constexpr const char* default_user = "nobody";
constexpr std::uintmax_t room = 1U << 20;  ///< for its few small files

std::string find_pvmd() {
  const char* root = std::getenv("PVM_ROOT");
  if (root != nullptr && ::access((std::string(root) + "/lib/pvmd").c_str(), X_OK) == 0) {
    return std::string(root) + "/lib/pvmd";
  }
  const std::string found = process::find_in_path("pvmd");
  if (found.empty()) {
    throw UsageError("transport pvm needs PVM's daemon pvmd, which is not in PATH: apt-get install pvm");
  }
  return found;
}

/// Whom PVM is to run as; none: this user.
std::optional<process::Account> account_for(const Parameters& parameters) {
  const auto given = parameters.find("user");
  if (::geteuid() != 0) {
    if (given == parameters.end() || given->second == ::geteuid()) return std::nullopt;
    throw UsageError("pvm:user=NAME: only root may run PVM as another user; leave it out");
  }
  const passwd* user =
      given == parameters.end() ? ::getpwnam(default_user) : ::getpwuid(static_cast<uid_t>(given->second));
  if (user == nullptr) {
    throw UsageError(
        fmt::format("PVM refuses root, and there is no user {}: name another one, pvm:user=NAME", default_user));
  }
  if (user->pw_uid == 0) return std::nullopt;  // root was asked for, and PVM is told so
  return process::Account{user->pw_name, user->pw_uid, user->pw_gid};
}

/// By its own mode; the folders on its way do not matter (Session).
void check_executable(const std::string& program, const process::Account& account) {
  struct stat status {};
  if (::stat(program.c_str(), &status) != 0) return;  // starting it says so
  const mode_t needed = status.st_uid == account.uid ? S_IXUSR : status.st_gid == account.gid ? S_IXGRP : S_IXOTH;
  if ((status.st_mode & needed) != 0) return;
  throw UsageError(
      fmt::format("transport pvm runs as user {}, because PVM refuses root, and that user may not execute {}: "
                  "chmod o+rx it, or name another user, pvm:user=NAME",
                  account.name, program));
}

/// The user's own PVM, if there is one, has other folders and is not seen.
std::vector<std::string> environment_for(const Machine::Program& program, const std::string& folder) {
  auto variables = process::environment_without(
      {"PVM_TMP=", "PVM_VMID=", "PVM_EXPO", "PVM_ALLOW_ROOT=", "PVMSOCK=", "PVMEPID=", "PVMCTX=", "PVMT",
       "HOME=", system_protocol::order_variable},
      program.environment);
  variables.push_back("PVM_TMP=" + folder);
  variables.push_back("HOME=" + folder);
  if (::geteuid() == 0) variables.push_back("PVM_ALLOW_ROOT=1");  // matters only where root was asked for
  return variables;
}

// --- PvmJob -----------------------------------------------------------------------------------------------------

class PvmJob final : public SystemProcesses {
 public:
  PvmJob(const std::string& pvmd, const Machine::Program& program, const Parameters& parameters)
      : program_(program), parameters_(parameters), account_(account_for(parameters)), roster_(program.size) {
    if (account_.has_value()) check_executable(program.path, *account_);
    make_folder();
    environment_ = environment_for(program, pvm_folder_);
    // On the loopback interface, whatever this host is called. All that it says at first is where it listens.
    pvmd_.emplace(
        options_for(pvmd, {"-n127.0.0.1"}), poller_, [this](const std::string&) { pvmd_listens_ = true; },
        [this](const std::string& line) { remarks_.add(line); });
  }
  ~PvmJob() override { end(); }

  bool ended() override;
  bool ending() const override;
  std::chrono::milliseconds patience() const override { return more_patience; }
  void end() override;
  pid_t system_pid() const override { return pvmd_->pid(); }
  TaskRoster& roster() override { return roster_; }
  net::Poller& poller() override { return poller_; }

 private:
  void make_folder();
  /// In the environment of PVM, as the user that PVM runs as.
  [[nodiscard]] process::StartOptions options_for(const std::string& program,
                                                  std::vector<std::string> arguments) const {
    return {.program = program,
            .arguments = std::move(arguments),
            .environment = environment_,
            .death_signal = SIGTERM,
            .account = account_};
  }
  void start_tasks();
  /// Is the task over? Its failure is noted.
  bool judge(int rank);
  /// Is PVM's daemon over? That is a failure, and is noted.
  bool judge_pvmd();
  [[nodiscard]] std::string describe_end(int wait_status) const;

  const Machine::Program& program_;
  Parameters parameters_;
  std::optional<process::Account> account_;
  net::Poller poller_;
  SignalWatch signals_{poller_};
  ScratchFolder folder_{room};
  std::string pvm_folder_;  ///< within it, of the user that PVM runs as
  std::vector<std::string> environment_;
  TaskRoster roster_;
  Remarks remarks_;  ///< of PVM's daemon and the tasks
  std::optional<process::Job> pvmd_;
  bool pvmd_listens_ = false;
  Clock::time_point begin_ = Clock::now();
  std::vector<std::unique_ptr<process::Job>> tasks_;
};

void PvmJob::make_folder() {
  pvm_folder_ = folder_.path() + "/pvm";
  const bool made = ::mkdir(pvm_folder_.c_str(), 0700) == 0 && ::chmod(folder_.path().c_str(), 0711) == 0 &&
                    (!account_.has_value() || ::chown(pvm_folder_.c_str(), account_->uid, account_->gid) == 0);
  if (!made) throw RunError("cannot make " + pvm_folder_ + ": " + std::strerror(errno));
}

void PvmJob::start_tasks() {
  auto order = order_for(program_, parameters_);
  order.size = program_.size;
  for (order.rank = 0; order.rank < order.size; ++order.rank) {
    auto options = options_for(program_.path, program_.arguments);
    options.environment->push_back(system_protocol::to_variable(order));
    tasks_.push_back(std::make_unique<process::Job>(
        std::move(options), poller_, [this](const std::string& line) { roster_.hear_output(line); },
        [this](const std::string& line) {
          if (!roster_.hear_error(line)) remarks_.add(line);
        }));
  }
}

bool PvmJob::ended() {
  if (tasks_.empty()) {
    (void)judge_pvmd();
    if (pvmd_listens_) start_tasks();
    return false;
  }
  bool all = true;
  for (int rank = 0; rank < program_.size; ++rank) all = judge(rank) && all;
  if (all && !roster_.reported()) roster_.note(Gravity::complaint, "the tasks have ended, but have reported nothing");
  // Tasks whose daemon dies know it before it can be reaped, and give up.
  const bool pvmd_ended = judge_pvmd();
  return all && (pvmd_ended || !roster_.verdict().failed());
}

bool PvmJob::ending() const {
  return std::ranges::any_of(tasks_, [](const auto& task) { return task->ending(); });
}

bool PvmJob::judge(int rank) {
  const auto status = tasks_[static_cast<std::size_t>(rank)]->ended();
  if (!status.has_value()) return false;
  if (*status != 0) {
    // Who writes to a daemon that has died gets SIGPIPE: a consequence.
    const bool killed = WIFSIGNALED(*status) && WTERMSIG(*status) != SIGPIPE;
    roster_.note(killed ? Gravity::killed : Gravity::exited, roster_.describe(rank) + " " + describe_end(*status));
  }
  return true;
}

bool PvmJob::judge_pvmd() {
  const auto status = pvmd_->ended();
  if (status.has_value()) {
    roster_.note(Gravity::killed, fmt::format("PVM's daemon pvmd (pid {}) {}", system_pid(), describe_end(*status)));
  } else if (!pvmd_listens_ && Clock::now() > begin_ + pvmd_deadline) {
    roster_.note(Gravity::complaint,
                 remarks_.after(fmt::format("PVM's daemon pvmd (pid {}) has not come up within {} s", system_pid(),
                                            pvmd_deadline.count())));
  }
  return status.has_value();
}

std::string PvmJob::describe_end(int wait_status) const {
  const std::string end = process::describe_wait_status(wait_status);
  return WIFSIGNALED(wait_status) ? end : remarks_.after(end);
}

/// Tasks first, so that the daemon has nobody to mourn; then it is asked to halt, which removes its files.
void PvmJob::end() {
  tasks_.clear();
  pvmd_->end(halt_patience);
}

}  // namespace

SystemStarter pvm_starter(std::vector<HostSpec> hosts) {
  if (!all_here(hosts)) {
    throw UsageError("transport pvm works on one host only; leave it out, or --hostfile");
  }
  return [pvmd = find_pvmd()](const Machine::Program& program, const Parameters& parameters) {
    return std::make_unique<PvmJob>(pvmd, program, parameters);
  };
}

}  // namespace nasvm
