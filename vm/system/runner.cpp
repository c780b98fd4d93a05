#include "vm/system/runner.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <stdexcept>
#include <utility>

#include "vm/system/mpi/mpirun.hpp"
#include "vm/system/processes.hpp"
#include "vm/system/pvm/pvmd.hpp"

namespace nasvm {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr auto pause = 50ms;  ///< between two looks at the processes when nothing is heard of them
constexpr auto ending_pause = 5ms;

struct SystemRow {
  std::string_view name;
  std::string_view packages;  ///< that the build and the runs need
  SystemStarter (*starter)(std::vector<HostSpec> hosts);
};

constexpr std::array rows{
    SystemRow{"mpi", "libopenmpi-dev and openmpi-bin", mpi_starter},
    SystemRow{"pvm", "pvm-dev and pvm", pvm_starter},
};

const SystemRow& row_of(std::string_view system) {
  const auto found = std::ranges::find(rows, system, &SystemRow::name);
  if (found == rows.end()) throw std::invalid_argument("no message system " + std::string(system));
  return *found;
}

}  // namespace

SystemRunner::SystemRunner(std::string_view system, std::vector<HostSpec> hosts)
    : start_(row_of(system).starter(std::move(hosts))) {}
SystemRunner::~SystemRunner() = default;

void SystemRunner::watch_to_end(std::chrono::milliseconds timeout) {
  TaskRoster& roster = processes_->roster();
  const auto deadline = timeout.count() > 0 ? Clock::now() + timeout : Clock::time_point::max() - 1h;
  bool started = false;
  while (!processes_->ended()) {
    const auto now = Clock::now();
    if (!started && roster.all_joined()) {
      started = true;
      if (on_start_) on_start_();
    }
    if (roster.verdict().due(now, processes_->patience())) return;
    if (now >= deadline) return roster.note(Gravity::overdue, overdue_text(timeout));
    const bool soon = processes_->ending() || roster.verdict().failed();
    (void)processes_->poller().wait(std::min<std::chrono::nanoseconds>(soon ? ending_pause : pause, deadline - now));
  }
}

std::vector<std::string> SystemRunner::watch(std::chrono::milliseconds timeout) {
  try {
    watch_to_end(timeout);
  } catch (...) {
    processes_->end();
    throw;
  }
  processes_->end();
  return processes_->roster().reports();
}

std::vector<std::string> SystemRunner::run(const Machine::Program& program) {
  processes_ = start_(program);
  try {
    auto reports = watch(program.timeout);
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

std::string system_program(std::string_view system, std::string_view kind) {
  const SystemRow& row = row_of(system);
  const std::filesystem::path self = own_program();
  for (const auto& folder : {self.parent_path(), self.parent_path().parent_path()}) {
    const auto program = folder / fmt::format("nasvm-{}-{}", system, kind);
    if (::access(program.c_str(), X_OK) == 0) return program;
  }
  throw UsageError(
      fmt::format("transport {} is not built: install {}, then build again (make build)", system, row.packages));
}

std::string lack_for(std::string_view system) {
  try {
    (void)system_program(system);
    (void)SystemRunner(system);
  } catch (const UsageError& error) {
    return error.what();
  }
  return {};
}

}  // namespace nasvm
