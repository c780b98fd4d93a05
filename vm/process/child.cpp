#include "vm/process/child.hpp"

#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "vm/status.hpp"

namespace nasvm::process {

namespace {

/// Of a process that somebody else has reaped: a status that waitpid gives of stopped processes alone, and only to
/// those who ask for them.
constexpr int unknown_wait_status = W_STOPCODE(0);

/// What waitpid would say of an end that waitid tells.
int wait_status_of(const siginfo_t& end) {
  return end.si_code == CLD_EXITED ? W_EXITCODE(end.si_status, 0) : W_EXITCODE(0, end.si_status);
}

}  // namespace

std::string describe_wait_status(int wait_status) {
  if (wait_status == unknown_wait_status) return "ended, and another part of this program has reaped it";
  if (WIFSIGNALED(wait_status)) {
    const int number = WTERMSIG(wait_status);
    const char* name = ::sigabbrev_np(number);  // real-time signals have none
    return "was killed by signal " + std::to_string(number) +
           (name != nullptr ? " (SIG" + std::string(name) + ")" : "");
  }
  return "exited with status " + std::to_string(WEXITSTATUS(wait_status));
}

net::Fd process_descriptor(pid_t pid) { return net::Fd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))); }

void signal_process(const net::Fd& process, int number) {
  ::syscall(SYS_pidfd_send_signal, process.get(), number, nullptr, 0);
}

std::optional<int> Child::peek() const {
  if (!is_there()) return wait_status_;
  siginfo_t end{};
  if (::waitid(P_PID, static_cast<id_t>(pid_), &end, WEXITED | WNOHANG | WNOWAIT) != 0) {
    return errno == ECHILD ? std::optional(unknown_wait_status) : std::nullopt;
  }
  return end.si_pid == pid_ ? std::optional(wait_status_of(end)) : std::nullopt;
}

std::optional<int> Child::ended() {
  if (!is_there()) return wait_status_;
  wait_status_ = peek();
  if (wait_status_.has_value()) (void)::waitpid(pid_, nullptr, WNOHANG);
  return wait_status_;
}

bool Child::is_stopped() const {
  siginfo_t state{};
  return is_there() && ::waitid(P_PID, static_cast<id_t>(pid_), &state, WSTOPPED | WNOHANG | WNOWAIT) == 0 &&
         state.si_pid == pid_;
}

void Child::signal(int number) const {
  if (is_there()) ::kill(pid_, number);
}

void Child::kill() {
  if (!is_there()) return;
  ::kill(pid_, SIGKILL);
  int wait_status = unknown_wait_status;
  while (::waitpid(pid_, &wait_status, 0) < 0 && errno == EINTR) {
  }
  wait_status_ = wait_status;
}

net::Fd Child::end_descriptor() const {
  net::Fd descriptor = process_descriptor(pid_);
  if (!descriptor) throw RunError("cannot watch process " + std::to_string(pid_) + ": " + std::strerror(errno));
  return descriptor;
}

}  // namespace nasvm::process
