#include "vm/daemon/task_process.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "vm/protocol/protocol.hpp"
#include "vm/status.hpp"

namespace nasvm::daemon {
namespace {

/// Enough for several packets each way, so that daemon and task need not take turns for each.
constexpr int socket_buffer_bytes = 1 << 20;

[[noreturn]] void fail(const char* what) { throw RunError(std::string(what) + ": " + std::strerror(errno)); }

[[noreturn]] void become(const char* program, char* const* arguments, char* const* environment, int socket,
                         pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(127);  // it died before the line above
  ::fcntl(socket, F_SETFD, 0);
  const int null = ::open("/dev/null", O_RDONLY);
  if (null >= 0) ::dup2(null, STDIN_FILENO);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::execve(program, arguments, environment);
  ::_exit(127);
}

}  // namespace

std::string describe_wait_status(int wait_status) {
  if (WIFSIGNALED(wait_status)) {
    const int number = WTERMSIG(wait_status);
    return "was killed by signal " + std::to_string(number) + " (SIG" + ::sigabbrev_np(number) + ")";
  }
  return "exited with status " + std::to_string(WEXITSTATUS(wait_status));
}

void TaskProcess::ready(std::uint32_t) {
  if (::waitpid(pid, &wait_status, WNOHANG) != pid) return;
  reaped = true;
  changed(*this);
}

Spawned spawn_task(const std::string& program, const std::vector<std::string>& arguments,
                   const std::vector<std::string>& environment) {
  std::array<int, 2> pair{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair.data()) != 0) {
    fail("cannot make a task's socket");
  }
  net::Fd ours(pair[0]);
  const net::Fd theirs(pair[1]);
  for (const int fd : pair) {
    ::setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &socket_buffer_bytes, sizeof socket_buffer_bytes);
  }

  std::vector<char*> argv{const_cast<char*>(program.c_str())};
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  std::vector<std::string> variables{std::string(protocol::task_fd_variable) + "=" + std::to_string(theirs.get())};
  for (const std::string& variable : environment) {
    if (::getenv(variable.substr(0, variable.find('=')).c_str()) == nullptr) variables.push_back(variable);
  }
  std::vector<char*> all_variables;
  const std::string own = std::string(protocol::task_fd_variable) + "=";
  for (char** entry = environ; *entry != nullptr; ++entry) {
    // A machine may have been started by a task of another.
    if (!std::string_view(*entry).starts_with(own)) all_variables.push_back(*entry);
  }
  for (std::string& variable : variables) all_variables.push_back(variable.data());
  all_variables.push_back(nullptr);

  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid < 0) fail("cannot start a task");
  if (pid == 0) become(program.c_str(), argv.data(), all_variables.data(), theirs.get(), parent);
  net::Fd pidfd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  if (!pidfd) fail("cannot watch a task");
  return {pid, std::move(pidfd), std::move(ours)};
}

}  // namespace nasvm::daemon
