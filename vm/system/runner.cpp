#include "vm/system/runner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <utility>

#include "vm/process/programs.hpp"

namespace nasvm {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr auto pause = 50ms;  ///< between two looks at the processes when nothing is heard of them
constexpr auto ending_pause = 5ms;

}  // namespace

SystemRunner::SystemRunner(const SystemRow& system, std::vector<HostSpec> hosts, std::string rsh)
    : system_(system), hosts_(std::move(hosts)), rsh_(std::move(rsh)), start_(system.starter(hosts_, rsh_)) {}
SystemRunner::~SystemRunner() = default;

void SystemRunner::watch_to_end(const Machine::Program& program) {
  TaskRoster& roster = processes_->roster();
  const auto deadline = program.timeout.count() > 0 ? Clock::now() + program.timeout : Clock::time_point::max() - 1h;
  bool started = false;
  for (;;) {
    const bool ended = processes_->ended();
    // A short program may have ended before its beginning was looked for.
    if (!started && roster.all_joined()) {
      started = true;
      if (on_start_) on_start_();
    }
    if (ended) return;
    const auto now = Clock::now();
    if (roster.verdict().due(now, processes_->patience())) return;
    if (now >= deadline) {
      return roster.note(Gravity::overdue, overdue_text(program.timeout, program.timeout_option));
    }
    const bool soon = processes_->ending() || roster.verdict().failed();
    (void)processes_->poller().wait(std::min<std::chrono::nanoseconds>(soon ? ending_pause : pause, deadline - now));
  }
}

std::vector<std::string> SystemRunner::watch(const Machine::Program& program) {
  try {
    watch_to_end(program);
  } catch (...) {
    processes_->end();
    throw;
  }
  processes_->end();
  return processes_->roster().reports();
}

std::vector<std::string> SystemRunner::run(const Machine::Program& program) {
  const auto choice = system_of(program.transport);
  if (!choice.has_value() || choice->row != &system_) {
    throw std::invalid_argument(program.transport + " is not for " + std::string(system_.name));
  }
  const bool on_all = program.hosts == 0;
  const std::vector<HostSpec> hosts = on_all ? hosts_ : spread_over(hosts_, program.hosts, program.size);
  (void)place_ranks(hosts, program.size);  // do the hosts take so many?
  processes_ = (on_all ? start_ : system_.starter(hosts, rsh_))(program, choice->parameters);
  try {
    auto reports = watch(program);
    processes_.reset();
    return reports;
  } catch (...) {
    processes_.reset();
    throw;
  }
}

long SystemRunner::system_pid() const { return processes_ == nullptr ? 0 : processes_->system_pid(); }

std::vector<long> SystemRunner::task_pids() const {
  return processes_ == nullptr ? std::vector<long>{} : processes_->roster().pids();
}

void SystemRunner::on_start(std::function<void()> callback) { on_start_ = std::move(callback); }

std::string system_program(const SystemRow& system, std::string_view kind) {
  const std::string name = fmt::format("nasvm-{}-{}", system.name, kind);
  std::string program = process::find_sibling(name);
  if (!program.empty()) return program;
  throw UsageError(
      fmt::format("transport {}: {} is not beside this program: copy it there; where the build has none, install {} "
                  "and build again (make build)",
                  system.name, name, system.packages));
}

std::string lack_for(const SystemRow& system) {
  try {
    (void)system_program(system);
    (void)SystemRunner(system);
  } catch (const UsageError& error) {
    return error.what();
  }
  return {};
}

}  // namespace nasvm
