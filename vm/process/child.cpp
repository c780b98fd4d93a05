#include "vm/process/child.hpp"

#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "vm/status.hpp"

namespace nasvm::process {

std::string describe_wait_status(int wait_status) {
  if (WIFSIGNALED(wait_status)) {
    const int number = WTERMSIG(wait_status);
    return "was killed by signal " + std::to_string(number) + " (SIG" + ::sigabbrev_np(number) + ")";
  }
  return "exited with status " + std::to_string(WEXITSTATUS(wait_status));
}

std::optional<int> Child::ended() {
  int wait_status = 0;
  if (is_there() && ::waitpid(pid_, &wait_status, WNOHANG) == pid_) wait_status_ = wait_status;
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
  int wait_status = 0;
  while (::waitpid(pid_, &wait_status, 0) < 0 && errno == EINTR) {
  }
  wait_status_ = wait_status;
}

net::Fd Child::end_descriptor() const {
  net::Fd descriptor(static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0)));
  if (!descriptor) throw RunError("cannot watch process " + std::to_string(pid_) + ": " + std::strerror(errno));
  return descriptor;
}

}  // namespace nasvm::process
