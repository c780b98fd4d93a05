#include "vm/system/mpi/mpi_program.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <utility>

#include "vm/launch/machine.hpp"
#include "vm/launch/signal_watch.hpp"
#include "vm/machine_topology.hpp"
#include "vm/process/job.hpp"
#include "vm/system/mpi/mpirun_command.hpp"
#include "vm/system/scratch_folder.hpp"

namespace nasvm {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr auto end_patience = 1s;           ///< for mpirun to end its tasks and itself when it has been asked to
constexpr std::size_t most_lines = 10'000;  ///< kept of what a program says

std::vector<std::string> arguments_for(const MpiProgram& program, const std::string& folder) {
  std::vector<std::string> words{"-np", std::to_string(program.tasks)};
  const auto append = [&words](const std::vector<std::string>& more) {
    words.insert(words.end(), more.begin(), more.end());
  };
  if (::geteuid() == 0) append({"--allow-run-as-root"});
  if (program.tasks > usable_cores()) append({"--oversubscribe", "--mca", "mpi_yield_when_idle", "1"});
  append(mpirun::one_host_arguments(folder));
  for (const std::string& variable : program.environment) append({"-x", variable});
  append({program.path});
  return words;
}

/// One program while it runs.
class Run {
 public:
  explicit Run(const MpiProgram& program)
      : folder_(mpirun::room_for(program.tasks)),
        job_(
            {.program = mpirun::find_program("a program of MPI"),
             .arguments = arguments_for(program, folder_.path()),
             .environment = mpirun::clean_environment(),
             .death_signal = SIGTERM},
            poller_, [this](std::string line) { keep(result_.output, std::move(line)); },
            [this](std::string line) { keep(result_.errors, std::move(line)); }) {}

  MpiProgramResult to_its_end(std::chrono::milliseconds timeout) {
    try {
      watch(timeout.count() > 0 ? Clock::now() + timeout : Clock::time_point::max() - 1h);
    } catch (const Interrupted&) {
      job_.end(end_patience);
      throw;
    }
    job_.end(end_patience);
    return std::move(result_);
  }

 private:
  static void keep(std::vector<std::string>& lines, std::string line) {
    if (lines.size() < most_lines) lines.push_back(std::move(line));
  }

  void watch(Clock::time_point deadline) {
    for (;;) {
      const auto wait_status = job_.ended();
      if (wait_status.has_value()) return note_end(*wait_status);
      const auto now = Clock::now();
      result_.overdue = now >= deadline;
      if (result_.overdue) return;
      (void)poller_.wait(std::min<std::chrono::nanoseconds>(job_.ending() ? 5ms : 50ms, deadline - now));
    }
  }

  void note_end(int wait_status) {
    result_.ended_well = WIFEXITED(wait_status) && WEXITSTATUS(wait_status) == 0;
    result_.ending = process::describe_wait_status(wait_status);
  }

  net::Poller poller_;
  SignalWatch signals_{poller_};
  ScratchFolder folder_;
  MpiProgramResult result_;
  process::Job job_;
};

}  // namespace

MpiProgramResult run_mpi_program(const MpiProgram& program, std::chrono::milliseconds timeout) {
  return Run(program).to_its_end(timeout);
}

}  // namespace nasvm
