#include "vm/system/mpi/mpi_program.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

#include "vm/cores.hpp"
#include "vm/launch/console.hpp"
#include "vm/process/line_reader.hpp"
#include "vm/process/session.hpp"
#include "vm/system/mpi/mpirun_command.hpp"
#include "vm/system/scratch_folder.hpp"

namespace nasvm {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr auto end_patience = 1s;           ///< for mpirun to end its tasks and itself when it has been asked to
constexpr std::size_t most_lines = 10'000;  ///< kept of what a program says
constexpr auto pipe_patience = 500ms;       ///< for what has been said to come through once the program has ended

std::vector<std::string> arguments_for(const std::string& program, int tasks, const std::string& folder) {
  std::vector<std::string> words{"-np", std::to_string(tasks)};
  const auto append = [&words](const std::vector<std::string>& more) {
    words.insert(words.end(), more.begin(), more.end());
  };
  if (::geteuid() == 0) append({"--allow-run-as-root"});
  if (tasks > usable_cores()) append({"--oversubscribe", "--mca", "mpi_yield_when_idle", "1"});
  append(mpirun::one_host_arguments(folder));
  append({program});
  return words;
}

/// One program while it runs.
class Run {
 public:
  Run(const std::string& program, int tasks)
      : session_({.program = mpirun::find_program("a program of MPI"),
                  .arguments = arguments_for(program, tasks, folder_.path()),
                  .environment = mpirun::clean_environment(),
                  .death_signal = SIGTERM}),
        output_(session_.take_output(), poller_, [this](std::string line) { keep(result_.output, std::move(line)); }),
        errors_(session_.take_error(), poller_, [this](std::string line) { keep(result_.errors, std::move(line)); }) {
  }

  MpiProgramResult to_its_end(std::chrono::milliseconds timeout) {
    try {
      watch(timeout.count() > 0 ? Clock::now() + timeout : Clock::time_point::max() - 1h);
    } catch (const Interrupted&) {
      end();
      throw;
    }
    end();
    return std::move(result_);
  }

 private:
  static void keep(std::vector<std::string>& lines, std::string line) {
    if (lines.size() < most_lines) lines.push_back(std::move(line));
  }

  void watch(Clock::time_point deadline) {
    Clock::time_point ended_at{};
    for (;;) {
      const auto now = Clock::now();
      const auto wait_status = session_.ended();
      if (wait_status.has_value() && ended_at == Clock::time_point{}) ended_at = now;
      const bool all_read = output_.at_end() && errors_.at_end();
      if (wait_status.has_value() && (all_read || now > ended_at + pipe_patience)) return note_end(*wait_status);
      if (now >= deadline) {
        result_.overdue = true;
        return;
      }
      const bool ending = wait_status.has_value() || output_.at_end();
      (void)poller_.wait(std::min<std::chrono::nanoseconds>(ending ? 5ms : 50ms, deadline - now));
    }
  }

  void note_end(int wait_status) {
    result_.ended_well = WIFEXITED(wait_status) && WEXITSTATUS(wait_status) == 0;
    result_.ending = process::describe_wait_status(wait_status);
  }

  /// Leaves nothing behind.
  void end() {
    session_.terminate();
    const auto deadline = Clock::now() + end_patience;
    while (!session_.ended().has_value() && Clock::now() < deadline) {
      try {
        (void)poller_.wait(5ms);
      } catch (const Interrupted&) {
        // It is ending already.
      }
    }
    session_.kill_all();
  }

  net::Poller poller_;
  SignalWatch signals_{poller_};
  ScratchFolder folder_;
  process::Session session_;
  MpiProgramResult result_;
  process::LineReader output_, errors_;
};

}  // namespace

MpiProgramResult run_mpi_program(const std::string& program, int tasks, std::chrono::milliseconds timeout) {
  return Run(program, tasks).to_its_end(timeout);
}

}  // namespace nasvm
