#include "vm/process/subreaper.hpp"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <system_error>
#include <vector>

#include "vm/proc.hpp"

namespace nasvm::process {
namespace {

using Clock = std::chrono::steady_clock;

constexpr unsigned pause_us = 1000;  ///< between two looks at an orphan

/// Nobody has that number any more, or only a stranger has. Kills a child that is still there.
bool is_gone(pid_t orphan) {
  const pid_t result = ::waitpid(orphan, nullptr, WNOHANG);
  if (result == 0) ::kill(orphan, SIGKILL);  // a child of ours, so nobody else has its number
  const bool reaped_by_another = result < 0 && ::kill(orphan, 0) != 0;
  return result == orphan || reaped_by_another;
}

/// Of this process, whichever of its threads has started them (proc(5), "/proc/pid/task/tid/children").
std::vector<pid_t> children() {
  std::vector<pid_t> found;
  std::error_code error;
  for (std::filesystem::directory_iterator thread("/proc/self/task", error), end; !error && thread != end;
       thread.increment(error)) {
    std::istringstream numbers(proc_text(thread->path() / "children"));
    for (pid_t child = 0; numbers >> child;) found.push_back(child);
  }
  return found;
}

void end_by(Clock::time_point deadline, std::span<const pid_t> orphans) {
  for (const pid_t orphan : orphans) {
    while (!is_gone(orphan) && Clock::now() < deadline) ::usleep(pause_us);
  }
}

}  // namespace

Subreaper::Subreaper() {
  ::prctl(PR_GET_CHILD_SUBREAPER, &before_);
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
}

Subreaper::~Subreaper() { ::prctl(PR_SET_CHILD_SUBREAPER, before_); }

void end_orphans(std::span<const pid_t> orphans, std::chrono::milliseconds patience) {
  end_by(Clock::now() + patience, orphans);
}

void end_other_children(std::span<const pid_t> known, std::chrono::milliseconds patience) {
  const auto deadline = Clock::now() + patience;
  do {
    std::vector<pid_t> others = children();
    std::erase_if(others, [&](pid_t child) { return std::ranges::find(known, child) != known.end(); });
    if (others.empty()) return;
    end_by(deadline, others);
  } while (Clock::now() < deadline);
}

}  // namespace nasvm::process
