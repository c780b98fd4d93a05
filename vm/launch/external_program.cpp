#include "vm/launch/external_program.hpp"

#include <sys/wait.h>

#include <algorithm>
#include <utility>

#include "vm/launch/machine.hpp"
#include "vm/launch/signal_watch.hpp"
#include "vm/net/poller.hpp"
#include "vm/process/job.hpp"

namespace nasvm {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr std::size_t most_lines_of_one = 10'000;
constexpr auto end_patience = 1s;  ///< for a program to end what it has started and itself when it is asked to

}  // namespace

/// One program while it runs.
class ProgramBeside::Run {
 public:
  Run(process::StartOptions options, std::size_t most_lines, std::chrono::milliseconds patience)
      : most_lines_(most_lines),
        patience_(patience),
        job_(
            std::move(options), poller_, [this](std::string line) { keep(result_.output, std::move(line)); },
            [this](std::string line) { keep(result_.errors, std::move(line)); }) {}

  ProgramResult to_its_end(std::chrono::milliseconds timeout) {
    const SignalWatch signals(poller_);
    try {
      watch(timeout.count() > 0 ? Clock::now() + timeout : Clock::time_point::max() - 1h);
    } catch (const Interrupted&) {
      end();
      throw;
    }
    end();
    return std::move(result_);
  }
  void end() { job_.end(patience_); }

 private:
  void keep(std::vector<std::string>& lines, std::string line) const {
    if (lines.size() < most_lines_) lines.push_back(std::move(line));
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
    if (WIFEXITED(wait_status)) result_.exit_status = WEXITSTATUS(wait_status);
    result_.ended_well = result_.exit_status == 0;
    result_.ending = process::describe_wait_status(wait_status);
  }

  std::size_t most_lines_;
  std::chrono::milliseconds patience_;
  net::Poller poller_;
  ProgramResult result_;
  process::Job job_;
};

ProgramResult run_program(process::StartOptions options, std::chrono::milliseconds timeout, std::size_t most_lines) {
  const SignalHold hold;  // a signal that comes before the watch waits for it
  return ProgramBeside::Run(std::move(options), most_lines, end_patience).to_its_end(timeout);
}

ProgramBeside::ProgramBeside(process::StartOptions options, std::chrono::milliseconds patience)
    : run_(std::make_unique<Run>(std::move(options), most_lines_of_one, patience)) {}

ProgramBeside::~ProgramBeside() {
  if (run_ != nullptr) run_->end();
}

ProgramResult ProgramBeside::to_its_end() {
  const auto run = std::move(run_);
  return run->to_its_end({});
}

}  // namespace nasvm
