#include "vm/process/subreaper.hpp"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <string>
#include <system_error>
#include <vector>

#include "vm/proc.hpp"

namespace nasvm::process {
namespace {

using Clock = std::chrono::steady_clock;

constexpr unsigned pause_us = 1000;  ///< between two looks at an orphan

/// No child of this process has that number (any more). Kills one that is still there.
bool is_gone(pid_t orphan) {
  const pid_t result = ::waitpid(orphan, nullptr, WNOHANG);
  if (result == 0) ::kill(orphan, SIGKILL);  // a child of ours, so nobody else has its number
  return result != 0;
}

/// Was it started with that variable in its environment? Of who has ended already nobody can say.
bool has_variable(pid_t process, std::string_view variable) {
  const std::string wanted = std::string(variable) + "=";
  const std::string environment = proc_text(proc_folder(process) / "environ");
  return environment.starts_with(wanted) || environment.find('\0' + wanted) != std::string::npos;
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

void reap_other_children(std::span<const pid_t> known) {
  for (const pid_t child : children()) {
    if (std::ranges::find(known, child) == known.end()) (void)::waitpid(child, nullptr, WNOHANG);
  }
}

void end_other_children(std::span<const pid_t> known, std::chrono::milliseconds patience, std::string_view variable) {
  const auto deadline = Clock::now() + patience;
  const auto is_spared = [&](pid_t child) {
    return std::ranges::find(known, child) != known.end() || (!variable.empty() && !has_variable(child, variable));
  };
  do {
    std::vector<pid_t> others = children();
    std::erase_if(others, is_spared);
    if (others.empty()) return;
    end_by(deadline, others);
  } while (Clock::now() < deadline);
}

}  // namespace nasvm::process
