#include "vm/launch/mpirun.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>

#include "vm/daemon/task_process.hpp"
#include "vm/launch/console.hpp"
#include "vm/launch/mpirun_command.hpp"
#include "vm/launch/mpirun_protocol.hpp"
#include "vm/launch/scratch_folder.hpp"
#include "vm/launch/session.hpp"
#include "vm/net/address.hpp"
#include "vm/transport/mpi/mpi_parameters.hpp"
#include "vm/transport/table.hpp"

namespace nasvm {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
using Json = nlohmann::json;

constexpr auto mpirun_patience = 2s;  ///< for mpirun to end its tasks and itself once something has failed
constexpr std::size_t longest_complaint = 300;  ///< of mpirun's own words
constexpr auto ask_patience = 1s;     ///< the same when we have asked it to

/// What is told when several things are noticed at once.
enum Gravity : int { complaint_gravity, exited_gravity, failed_gravity, killed_gravity, overdue_gravity };

bool is_local(const HostSpec& host) {
  try {
    (void)net::listen_on(host.address, 1);
    return true;
  } catch (const RunError&) {
    return false;
  }
}

/// Ours, without what a mpirun that has started this process has put there, and with what the tasks are to find.
std::vector<std::string> environment_for(const Machine::Program& program, const Json& order) {
  std::vector<std::string> variables = mpirun::clean_environment();
  for (const std::string& variable : program.environment) {
    if (std::getenv(variable.substr(0, variable.find('=')).c_str()) == nullptr) variables.push_back(variable);
  }
  variables.push_back(std::string(mpirun::order_variable) + "=" + order.dump());
  return variables;
}

void append(std::vector<std::string>& list, std::initializer_list<std::string> more) {
  list.insert(list.end(), more.begin(), more.end());
}

void append_hosts(std::vector<std::string>& arguments, const std::vector<HostSpec>& hosts,
                  const std::string& folder) {
  if (std::ranges::all_of(hosts, is_local)) {
    const auto more = mpirun::one_host_arguments(folder);
    arguments.insert(arguments.end(), more.begin(), more.end());
    return;
  }
  std::string list;
  for (const HostSpec& host : hosts) {
    const std::string name = is_local(host) ? "localhost" : host.name;
    list += fmt::format("{}{}:{}", list.empty() ? "" : ",", name, host.slots);
  }
  append(arguments, {"--host", list});
}

std::vector<std::string> arguments_for(const std::string& mpirun, const Machine::Program& program,
                                       const Parameters& parameters, const std::vector<HostSpec>& hosts,
                                       const std::string& folder) {
  const auto computers = std::max<std::ptrdiff_t>(1, std::ranges::count_if(hosts, std::not_fn(is_local)) +
                                                         (std::ranges::any_of(hosts, is_local) ? 1 : 0));
  const bool crowded = program.size * program.threads > mpirun::available_cores() * computers;
  std::vector<std::string> arguments{mpirun, "-np", std::to_string(program.size)};
  if (::geteuid() == 0) arguments.push_back("--allow-run-as-root");
  // Unbound, as the tasks of our own transports are: several runs at once must not share one core.
  append(arguments, {"--oversubscribe", "--bind-to", "none", "--map-by", "slot"});
  append(arguments, {"--mca", "mpi_yield_when_idle", crowded ? "1" : "0"});
  append(arguments, {"--mca", "btl_base_warn_component_unused", "0"});
  append_hosts(arguments, hosts, folder);
  const auto over = parameters.find("over");
  if (over != parameters.end()) {
    const bool tcp = mpi_channels[over->second] == "tcp";
    append(arguments, {"--mca", "pml", "ob1", "--mca", "btl", tcp ? "self,tcp" : "self,vader"});
  }
  append(arguments, {"-x", mpirun::order_variable});
  for (const std::string& variable : program.environment) {
    append(arguments, {"-x", variable.substr(0, variable.find('='))});
  }
  arguments.push_back(program.path);
  arguments.insert(arguments.end(), program.arguments.begin(), program.arguments.end());
  return arguments;
}

}  // namespace

// --- Job --------------------------------------------------------------------------------------------------------

class MpiRunner::Job {
 public:
  Job(const std::string& mpirun, const std::vector<HostSpec>& hosts, const Machine::Program& program,
      const Parameters& parameters)
      : program_(program),
        session_(arguments_for(mpirun, program, parameters, hosts, folder_.path()), environment(program, parameters)),
        output_(session_.take_output(), poller_, [this](std::string line) { hear_output(std::move(line)); }),
        error_(session_.take_error(), poller_, [this](std::string line) { hear_error(std::move(line)); }),
        tasks_(static_cast<std::size_t>(program.size)) {}

  std::vector<std::string> run(const std::function<void()>& on_start);
  [[nodiscard]] pid_t pid() const { return session_.pid(); }
  [[nodiscard]] std::vector<long> task_pids() const;

 private:
  struct TaskState {
    long pid = 0;
    std::string host;
  };
  struct Failure {
    int gravity;
    Exit exit_status;
    std::string text;
  };

  static std::vector<std::string> environment(const Machine::Program& program, const Parameters& parameters) {
    const auto choice = value_of(parameters, "collectives", 0);
    const bool native = mpi_collectives[choice] == "mpi";
    return environment_for(program, {{"setup", program.setup}, {"native_collectives", native}});
  }

  void watch(const std::function<void()>& on_start);
  void hear_output(std::string line);
  void hear_error(std::string line);
  void hear_task(const Json& message);
  void hear_mpirun(const std::string& line);
  void note(Failure failure);
  /// mpirun has ended: was it in good order?
  void judge(int wait_status);
  void end();
  [[nodiscard]] bool joined() const;
  [[nodiscard]] std::string describe(int rank) const;

  const Machine::Program& program_;
  net::Poller poller_;
  SignalWatch signals_{poller_};
  ScratchFolder folder_;
  Session session_;
  LineReader output_, error_;
  std::vector<TaskState> tasks_;
  int exited_rank_ = -1;  ///< of the complaint that is being read
  std::string complaint_;  ///< what mpirun has said that is not understood
  std::optional<Json> reports_;
  std::optional<Failure> failure_;
  Clock::time_point failed_at_{};
};

std::vector<std::string> MpiRunner::Job::run(const std::function<void()>& on_start) {
  try {
    watch(on_start);
  } catch (const Interrupted&) {
    end();
    throw;
  }
  end();
  if (failure_.has_value()) throw Error(failure_->exit_status, failure_->text);
  return reports_->get<std::vector<std::string>>();
}

void MpiRunner::Job::watch(const std::function<void()>& on_start) {
  const auto deadline = program_.timeout.count() > 0 ? Clock::now() + program_.timeout
                                                     : Clock::time_point::max() - std::chrono::hours(1);
  bool started = false;
  Clock::time_point ended_at{};
  for (;;) {
    const auto now = Clock::now();
    if (!started && joined()) {
      started = true;
      if (on_start) on_start();
    }
    const auto wait_status = session_.ended();
    if (wait_status.has_value() && ended_at == Clock::time_point{}) ended_at = now;
    // What it has still said comes through the pipes, unless somebody else holds them open.
    if (wait_status.has_value() && ((output_.at_end() && error_.at_end()) || now > ended_at + 500ms)) {
      return judge(*wait_status);
    }
    if (failure_.has_value() && now > failed_at_ + mpirun_patience) return;
    if (now >= deadline) {
      return note({overdue_gravity, Exit::broken,
                   fmt::format("the run has not finished within its time-out of {} s",
                               std::chrono::duration<double>(program_.timeout).count())});
    }
    const bool ending = wait_status.has_value() || output_.at_end();
    (void)poller_.wait(std::min<std::chrono::nanoseconds>(ending ? 5ms : 50ms, deadline - now));
  }
}

/// Leaves nothing behind.
void MpiRunner::Job::end() {
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

std::vector<long> MpiRunner::Job::task_pids() const {
  std::vector<long> pids;
  for (const TaskState& task : tasks_) pids.push_back(task.pid);
  return pids;
}

bool MpiRunner::Job::joined() const {
  return std::ranges::all_of(tasks_, [](const TaskState& task) { return task.pid != 0; });
}

std::string MpiRunner::Job::describe(int rank) const {
  const auto index = static_cast<std::size_t>(rank);
  if (rank < 0 || index >= tasks_.size()) return "a task";
  if (tasks_[index].pid == 0) return fmt::format("rank {}", rank);
  return fmt::format("rank {} (pid {}, host {})", rank, tasks_[index].pid, tasks_[index].host);
}

// --- hearing ----------------------------------------------------------------------------------------------------

void MpiRunner::Job::note(Failure failure) {
  if (!failure_.has_value()) failed_at_ = Clock::now();
  if (!failure_.has_value() || failure.gravity > failure_->gravity) failure_ = std::move(failure);
}

void MpiRunner::Job::hear_output(std::string line) {
  if (line.starts_with(mpirun::line_prefix)) reports_ = Json::parse(line.substr(mpirun::line_prefix.size()));
}

void MpiRunner::Job::hear_error(std::string line) {
  const std::size_t begin = line.find(mpirun::line_prefix);
  Json message;
  if (begin != std::string::npos) message = Json::parse(line.substr(begin + mpirun::line_prefix.size()), nullptr, false);
  if (message.is_object()) {
    hear_task(message);
  } else {
    hear_mpirun(line);
  }
}

void MpiRunner::Job::hear_task(const Json& message) {
  const int rank = message.value("rank", -1);
  if (message.contains("text")) {
    const auto exit_status = static_cast<Exit>(message.value("exit", 3));
    note({failed_gravity, exit_status, describe(rank) + ": " + message.value("text", "")});
  } else if (rank >= 0 && rank < program_.size) {
    tasks_[static_cast<std::size_t>(rank)] = {message.value("pid", 0L), message.value("host", "")};
  }
}

/// mpirun says what has happened in sentences, between lines of dashes.
void MpiRunner::Job::hear_mpirun(const std::string& line) {
  int rank = -1;
  int number = 0;
  const std::size_t noticed = line.find("process rank ");
  if (noticed != std::string::npos &&
      std::sscanf(line.c_str() + noticed, "process rank %d with PID %*d on node %*s exited on signal %d", &rank,
                  &number) == 2) {
    return note({killed_gravity, Exit::broken, describe(rank) + " " + daemon::describe_wait_status(number)});
  }
  if (noticed != std::string::npos && line.find("has exited due to") != std::string::npos &&
      std::sscanf(line.c_str() + noticed, "process rank %d", &rank) == 1) {
    return note({exited_gravity, Exit::broken, describe(rank) + " exited before its end"});
  }
  if (std::sscanf(line.c_str(), " Process name: [[%*d,%*d],%d]", &rank) == 1) exited_rank_ = rank;
  if (exited_rank_ >= 0 && std::sscanf(line.c_str(), " Exit code: %d", &number) == 1) {
    return note({exited_gravity, Exit::broken, fmt::format("{} exited with status {}", describe(exited_rank_), number)});
  }
  // The first sentence that is none of these, for want of anything better.
  const bool says_something = std::ranges::any_of(line, [](unsigned char c) { return std::isalpha(c) != 0; });
  if (says_something && !reports_.has_value() && complaint_.size() < longest_complaint) {
    complaint_ += (complaint_.empty() ? "" : " ") + line;
  }
}

void MpiRunner::Job::judge(int wait_status) {
  if (WIFSIGNALED(wait_status)) {
    note({killed_gravity, Exit::broken,
          fmt::format("mpirun (pid {}) {}", pid(), daemon::describe_wait_status(wait_status))});
  } else if (WEXITSTATUS(wait_status) != 0) {
    note({complaint_gravity, Exit::broken,
          fmt::format("mpirun {}{}{}", daemon::describe_wait_status(wait_status), complaint_.empty() ? "" : ": ",
                      complaint_)});
  } else if (!reports_.has_value() || reports_->size() != tasks_.size()) {
    note({complaint_gravity, Exit::broken, "mpirun has ended, but the tasks have reported nothing"});
  }
}

// --- MpiRunner --------------------------------------------------------------------------------------------------

MpiRunner::MpiRunner(std::vector<HostSpec> hosts)
    : hosts_(std::move(hosts)), mpirun_(mpirun::find_program("transport mpi")) {}
MpiRunner::~MpiRunner() = default;

std::vector<std::string> MpiRunner::run(const Machine::Program& program) {
  const auto choices = parse_transport_order(program.transport);
  job_ = std::make_unique<Job>(mpirun_, hosts_, program, choices.front().parameters);
  try {
    auto reports = job_->run(on_start_);
    job_.reset();
    return reports;
  } catch (...) {
    job_.reset();
    throw;
  }
}

long MpiRunner::mpirun_pid() const { return job_ == nullptr ? 0 : job_->pid(); }
std::vector<long> MpiRunner::task_pids() const { return job_ == nullptr ? std::vector<long>{} : job_->task_pids(); }
void MpiRunner::on_start(std::function<void()> callback) { on_start_ = std::move(callback); }

std::string mpi_task_program(const std::string& name) {
  const std::filesystem::path self = own_program();
  for (const auto& folder : {self.parent_path(), self.parent_path().parent_path()}) {
    const auto program = folder / name;
    if (::access(program.c_str(), X_OK) == 0) return program;
  }
  throw UsageError("transport mpi is not built: install libopenmpi-dev and openmpi-bin, then build again (make build)");
}

}  // namespace nasvm
