#include "vm/process/session.hpp"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>

#include "vm/proc.hpp"
#include "vm/process/pipe.hpp"

namespace nasvm::process {
namespace {

using namespace std::chrono_literals;

constexpr auto kill_patience = 2s;

/// The session that a process belongs to; 0 when it is gone.
pid_t session_of(pid_t process) { return process_status(process).value_or(ProcessStatus{}).session; }

}  // namespace

Session::Session(StartOptions options) {
  Pipe output, error;
  options.session = SessionOf::itself;
  options.output = output.write.get();
  options.error = error.write.get();
  leader_ = start(options);
  output_ = std::move(output.read);
  error_ = std::move(error.read);
}

Session::~Session() { kill_all(); }

void Session::terminate() {
  if (!ended().has_value()) leader_.signal(SIGTERM);
}

std::vector<pid_t> Session::members() const {
  std::vector<pid_t> found;
  for (const pid_t member : all_processes()) {
    if (member != pid() && session_of(member) == pid()) found.push_back(member);
  }
  return found;
}

/// Whether a number still means who was found under it is asked again once the process itself is held.
void Session::kill_member(pid_t member) const {
  const net::Fd process = process_descriptor(member);
  if (process && session_of(member) == pid()) signal_process(process, SIGKILL);
  (void)::waitpid(member, nullptr, WNOHANG);  // an orphan has become our child
}

/// Until the leader is reaped, nobody else gets its number, and so no other session.
void Session::kill_all() {
  const auto deadline = std::chrono::steady_clock::now() + kill_patience;
  while (leader_.is_there() && std::chrono::steady_clock::now() < deadline) {
    leader_.signal(SIGKILL);
    const std::vector<pid_t> left = members();
    for (const pid_t member : left) kill_member(member);
    if (left.empty() && leader_.ended().has_value()) return;
    ::usleep(1000);
  }
}

}  // namespace nasvm::process
