#include "vm/system/mpi/mpirun.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <optional>
#include <utility>

#include "vm/cores.hpp"
#include "vm/launch/console.hpp"
#include "vm/process/line_reader.hpp"
#include "vm/process/session.hpp"
#include "vm/process/subreaper.hpp"
#include "vm/system/mpi/mpi_parameters.hpp"
#include "vm/system/mpi/mpirun_command.hpp"
#include "vm/system/protocol.hpp"
#include "vm/system/roster.hpp"
#include "vm/system/scratch_folder.hpp"
#include "vm/transport/table.hpp"

namespace nasvm {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr auto mpirun_patience = 2s;            ///< for mpirun to end its tasks and itself once something has failed
constexpr std::size_t longest_complaint = 300;  ///< of mpirun's own words
constexpr auto ask_patience = 1s;               ///< the same when we have asked it to
constexpr auto pipe_patience = 500ms;           ///< for pipes that outlive it

/// Ours, without what a mpirun that has started this process has put there, and with what the tasks are to find.
std::vector<std::string> environment_for(const Machine::Program& program) {
  std::vector<std::string> variables = mpirun::clean_environment(program.environment);
  variables.push_back(order_for(program));
  return variables;
}

void append(std::vector<std::string>& list, std::initializer_list<std::string> more) {
  list.insert(list.end(), more.begin(), more.end());
}

void append_hosts(std::vector<std::string>& arguments, const std::vector<HostSpec>& hosts,
                  const std::string& folder) {
  if (std::ranges::all_of(hosts, is_this_computer)) {
    const auto more = mpirun::one_host_arguments(folder);
    arguments.insert(arguments.end(), more.begin(), more.end());
    return;
  }
  std::string list;
  for (const HostSpec& host : hosts) {
    const std::string name = is_this_computer(host) ? "localhost" : host.name;
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
  append(arguments, {"--mca", "mpi_yield_when_idle", crowded ? "1" : "0"});
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
  MpiJob(const std::string& mpirun, const std::vector<HostSpec>& hosts, const Machine::Program& program)
      : session_({.program = mpirun,
                  .arguments = arguments_for(program, parse_transport_order(program.transport).front().parameters,
                                             hosts, folder_.path()),
                  .environment = environment_for(program),
                  .death_signal = SIGTERM}),
        output_(session_.take_output(), poller_, [this](const std::string& line) { roster_.hear_output(line); }),
        error_(session_.take_error(), poller_, [this](const std::string& line) { hear_error(line); }),
        roster_(program.size) {}

  bool ended() override;
  bool ending() const override { return ended_at_ != Clock::time_point{} || output_.at_end(); }
  std::chrono::milliseconds patience() const override { return mpirun_patience; }
  void end() override;
  pid_t system_pid() const override { return session_.pid(); }
  TaskRoster& roster() override { return roster_; }
  net::Poller& poller() override { return poller_; }

 private:
  void hear_error(const std::string& line);
  void hear_mpirun(const std::string& line);
  /// mpirun has ended: was it in good order?
  void judge(int wait_status);

  net::Poller poller_;
  SignalWatch signals_{poller_};
  ScratchFolder folder_;
  process::Subreaper subreaper_;  ///< tasks of an mpirun that has died
  process::Session session_;
  process::LineReader output_, error_;
  TaskRoster roster_;
  Clock::time_point ended_at_{};
  int exited_rank_ = -1;   ///< of the complaint that is being read
  std::string complaint_;  ///< what mpirun has said that is not understood
};

bool MpiJob::ended() {
  const auto wait_status = session_.ended();
  if (!wait_status.has_value()) return false;
  if (ended_at_ == Clock::time_point{}) ended_at_ = Clock::now();
  // What it has still said comes through the pipes, unless somebody else holds them open.
  const bool all_read = output_.at_end() && error_.at_end();
  if (!all_read && Clock::now() < ended_at_ + pipe_patience) return false;
  judge(*wait_status);
  return true;
}

void MpiJob::end() {
  session_.terminate();
  const auto deadline = Clock::now() + ask_patience;
  while (!session_.ended().has_value() && Clock::now() < deadline) {
    try {
      (void)poller_.wait(5ms);
    } catch (const Interrupted&) {
      // It is ending already.
    }
  }
  session_.kill_all();
}

void MpiJob::hear_error(const std::string& line) {
  if (!roster_.hear_error(line)) hear_mpirun(line);
}

/// mpirun says what has happened in sentences, between lines of dashes.
void MpiJob::hear_mpirun(const std::string& line) {
  int rank = -1;
  int number = 0;
  const std::size_t noticed = line.find("process rank ");
  if (noticed != std::string::npos &&
      std::sscanf(line.c_str() + noticed, "process rank %d with PID %*d on node %*s exited on signal %d", &rank,
                  &number) == 2) {
    return roster_.note(Gravity::killed, roster_.describe(rank) + " " + process::describe_wait_status(number));
  }
  if (noticed != std::string::npos && line.find("has exited due to") != std::string::npos &&
      std::sscanf(line.c_str() + noticed, "process rank %d", &rank) == 1) {
    return roster_.note(Gravity::exited, roster_.describe(rank) + " exited before its end");
  }
  if (std::sscanf(line.c_str(), " Process name: [[%*d,%*d],%d]", &rank) == 1) exited_rank_ = rank;
  if (exited_rank_ >= 0 && std::sscanf(line.c_str(), " Exit code: %d", &number) == 1) {
    return roster_.note(Gravity::exited,
                        fmt::format("{} exited with status {}", roster_.describe(exited_rank_), number));
  }
  // The first sentence that is none of these, for want of anything better.
  const bool says_something = std::ranges::any_of(line, [](unsigned char c) { return std::isalpha(c) != 0; });
  if (says_something && !roster_.reported() && complaint_.size() < longest_complaint) {
    complaint_ += (complaint_.empty() ? "" : " ") + line;
  }
}

void MpiJob::judge(int wait_status) {
  if (WIFSIGNALED(wait_status)) {
    roster_.note(Gravity::killed,
                 fmt::format("mpirun (pid {}) {}", system_pid(), process::describe_wait_status(wait_status)));
  } else if (WEXITSTATUS(wait_status) != 0) {
    roster_.note(Gravity::complaint, fmt::format("mpirun {}{}{}", process::describe_wait_status(wait_status),
                                                 complaint_.empty() ? "" : ": ", complaint_));
  } else if (!roster_.reported()) {
    roster_.note(Gravity::complaint, "mpirun has ended, but the tasks have reported nothing");
  }
}

}  // namespace

SystemStarter mpi_starter(std::vector<HostSpec> hosts) {
  return [hosts = std::move(hosts), mpirun = mpirun::find_program("transport mpi")](const Machine::Program& program) {
    return std::make_unique<MpiJob>(mpirun, hosts, program);
  };
}

}  // namespace nasvm
