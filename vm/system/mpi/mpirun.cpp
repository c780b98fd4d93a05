#include "vm/system/mpi/mpirun.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <initializer_list>
#include <optional>
#include <utility>

#include "vm/launch/signal_watch.hpp"
#include "vm/machine_topology.hpp"
#include "vm/process/job.hpp"
#include "vm/process/mpirun.hpp"
#include "vm/process/subreaper.hpp"
#include "vm/status.hpp"
#include "vm/system/mpi/mpi_parameters.hpp"
#include "vm/system/mpi/mpirun_command.hpp"
#include "vm/system/mpi/mpirun_listener.hpp"
#include "vm/system/order.hpp"
#include "vm/system/remarks.hpp"
#include "vm/system/scratch_folder.hpp"

namespace nasvm {
namespace {

using namespace std::chrono_literals;

constexpr auto mpirun_patience = 2s;  ///< for mpirun to end its tasks and itself once something has failed
constexpr auto end_patience = 500ms;  ///< for it to end once all tasks have
constexpr auto ask_patience = 1s;     ///< the same when we have asked it to

/// Ours, without what a mpirun that has started this process has put there, and with what the tasks are to find.
std::vector<std::string> environment_for(const Machine::Program& program, const Parameters& parameters) {
  std::vector<std::string> variables = mpirun::clean_environment(program.environment);
  variables.push_back(system_protocol::to_variable(order_for(program, parameters)));
  return variables;
}

void append(std::vector<std::string>& list, std::initializer_list<std::string> more) {
  list.insert(list.end(), more.begin(), more.end());
}

void append_hosts(std::vector<std::string>& arguments, const std::vector<HostSpec>& hosts,
                  const std::string& folder) {
  if (all_here(hosts)) {
    const auto more = mpirun::one_host_arguments(folder);
    arguments.insert(arguments.end(), more.begin(), more.end());
    return;
  }
  std::string list;
  for (const HostSpec& host : hosts) {
    if (host.max_slots != 0) {
      throw UsageError("transport mpi cannot keep max_slots on several computers: leave it out of the hostfile");
    }
    const std::string name = is_this_computer(host) ? "localhost" : host.name;
    mpirun::check_host_name(name);
    list += fmt::format("{}{}:{}", list.empty() ? "" : ",", name, host.slots);
  }
  append(arguments, {"--host", list});
}

std::vector<std::string> arguments_for(const Machine::Program& program, const Parameters& parameters,
                                       const std::vector<HostSpec>& hosts, const std::string& folder) {
  const auto computers = std::max<std::ptrdiff_t>(1, std::ranges::count_if(hosts, std::not_fn(is_this_computer)) +
                                                         (std::ranges::any_of(hosts, is_this_computer) ? 1 : 0));
  const bool crowded = program.size * program.threads > usable_cores() * computers;
  std::vector<std::string> arguments{"-np", std::to_string(program.size)};
  if (::geteuid() == 0) arguments.push_back("--allow-run-as-root");
  // Unbound: tasks bind themselves, as those of our own transports do; several runs at once must not share one core.
  append(arguments, {"--oversubscribe", "--bind-to", "none", "--map-by", "slot"});
  // Hosts that share this machine's cores (a lab) look like others: what the user has set stays.
  if (std::getenv("OMPI_MCA_mpi_yield_when_idle") == nullptr) {
    append(arguments, {"--mca", "mpi_yield_when_idle", crowded ? "1" : "0"});
  }
  append(arguments, {"--mca", "btl_base_warn_component_unused", "0"});
  append_hosts(arguments, hosts, folder);
  const auto over = parameters.find("over");
  if (over != parameters.end()) {
    const bool tcp = mpi_channels[over->second] == "tcp";
    append(arguments, {"--mca", "pml", "ob1", "--mca", "btl", tcp ? "self,tcp" : "self,vader"});
  }
  append(arguments, {"-x", system_protocol::order_variable});
  for (const std::string& variable : program.environment) {
    append(arguments, {"-x", variable.substr(0, variable.find('='))});
  }
  arguments.push_back(program.path);
  arguments.insert(arguments.end(), program.arguments.begin(), program.arguments.end());
  return arguments;
}

// --- MpiJob -----------------------------------------------------------------------------------------------------

class MpiJob final : public SystemProcesses {
 public:
  MpiJob(const std::string& mpirun, const std::vector<HostSpec>& hosts, const Machine::Program& program,
         const Parameters& parameters)
      : here_alone_(all_here(hosts)),
        folder_(here_alone_ ? mpirun::room_for(program.size) : 0),
        roster_(program.size),
        mpirun_(
            {.program = mpirun,
             .arguments = arguments_for(program, parameters, hosts, folder_.path()),
             .environment = environment_for(program, parameters),
             .death_signal = SIGTERM},
            poller_, [this](const std::string& line) { roster_.hear_output(line); },
            [this](const std::string& line) { hear_error(line); }) {}

  bool ended() override;
  bool ending() const override { return mpirun_.ending(); }
  std::chrono::milliseconds patience() const override { return mpirun_patience; }
  void end() override { mpirun_.end(ask_patience); }
  pid_t system_pid() const override { return mpirun_.pid(); }
  TaskRoster& roster() override { return roster_; }
  net::Poller& poller() override { return poller_; }

 private:
  void hear_error(const std::string& line);
  /// The tasks have reported and are gone, though mpirun goes on: it waits for what they have left behind, too, which
  /// holds its pipes.
  bool is_left_alone();
  /// mpirun has ended: was it in good order?
  void judge(int wait_status);

  bool here_alone_;  ///< all tasks are on this computer, and so is what Open MPI needs room for
  net::Poller poller_;
  SignalWatch signals_{poller_};
  ScratchFolder folder_;
  process::Subreaper subreaper_;  ///< of the tasks of an mpirun that has died
  TaskRoster roster_;
  MpirunListener listener_;
  Remarks remarks_;
  std::optional<std::chrono::steady_clock::time_point> alone_since_;
  process::Job mpirun_;
};

bool MpiJob::ended() {
  const auto wait_status = mpirun_.ended();
  if (wait_status.has_value()) judge(*wait_status);
  return wait_status.has_value() || is_left_alone();
}

/// Of tasks on other computers it is not known that they are gone.
bool MpiJob::is_left_alone() {
  const auto is_there = [](long task) { return ::kill(static_cast<pid_t>(task), 0) == 0 || errno != ESRCH; };
  if (!here_alone_ || !roster_.reported() || std::ranges::any_of(roster_.pids(), is_there)) return false;
  const auto now = std::chrono::steady_clock::now();
  if (!alone_since_.has_value()) alone_since_ = now;
  return now - *alone_since_ > end_patience;
}

void MpiJob::hear_error(const std::string& line) {
  if (roster_.hear_error(line)) return;
  if (const auto end = listener_.hear(line)) {
    roster_.note(end->gravity, roster_.describe(end->rank) + " " + end->text);
  } else if (!roster_.reported()) {
    remarks_.add(line);
  }
}

void MpiJob::judge(int wait_status) {
  const std::string end = process::describe_wait_status(wait_status);
  if (WIFSIGNALED(wait_status)) {
    roster_.note(Gravity::killed, fmt::format("mpirun (pid {}) {}", system_pid(), end));
  } else if (wait_status != 0) {
    roster_.note(Gravity::complaint, remarks_.after("mpirun " + end));
  } else if (!roster_.reported()) {
    roster_.note(Gravity::complaint, "mpirun has ended, but the tasks have reported nothing");
  }
}

}  // namespace

SystemStarter mpi_starter(std::vector<HostSpec> hosts, const std::string&) {
  return [hosts = std::move(hosts), mpirun = mpirun::find_program("transport mpi")](const Machine::Program& program,
                                                                                    const Parameters& parameters) {
    return std::make_unique<MpiJob>(mpirun, hosts, program, parameters);
  };
}

}  // namespace nasvm
