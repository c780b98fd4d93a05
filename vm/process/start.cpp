#include "vm/process/start.hpp"

#include <fcntl.h>
#include <grp.h>
#include <linux/close_range.h>
#include <sys/prctl.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "vm/process/pipe.hpp"
#include "vm/status.hpp"

namespace nasvm::process {
namespace {

constexpr int not_started = 127;  ///< exit status of a program that cannot be executed, as a shell has it

/// What a new process becomes. Made before the fork: between fork and exec nothing is allocated.
struct Role {
  const StartOptions& options;
  std::vector<char*> arguments;
  std::vector<char*> variables;
  char* const* environment;
  net::Fd program;  ///< open where another user may have no way to it
  int input;        ///< descriptor; -1: empty
  int failure;      ///< descriptor that closes when the program runs, and else gets the reason; -1: none
  pid_t parent;
};

void append_pointers(std::vector<char*>& pointers, const std::vector<std::string>& texts) {
  for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
}

/// `descriptor` becomes the standard stream `stream` and stays open.
void become_stream(int descriptor, int stream) {
  if (descriptor == stream) {
    ::fcntl(stream, F_SETFD, 0);
  } else {
    ::dup2(descriptor, stream);
  }
}

/// What else is open here closes in the program, also what this process has got from its own parent.
void take_descriptors(const Role& role) {
  ::close_range(STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC);
  for (const int descriptor : role.options.kept) ::fcntl(descriptor, F_SETFD, 0);
}

void take_streams(const Role& role) {
  const int input = role.input < 0 ? ::open("/dev/null", O_RDONLY | O_CLOEXEC) : role.input;
  if (input >= 0) become_stream(input, STDIN_FILENO);
  become_stream(role.options.output, STDOUT_FILENO);
  become_stream(role.options.error, STDERR_FILENO);
}

/// Root is given up for good.
bool take_account(const std::optional<Account>& account) {
  if (!account.has_value()) return true;
  return ::setgroups(1, &account->gid) == 0 && ::setgid(account->gid) == 0 && ::setuid(account->uid) == 0;
}

/// The kernel forgets the death signal where a process changes its user, so it is asked for after that.
void follow_parent(const Role& role) {
  if (role.options.death_signal == 0) return;
  ::prctl(PR_SET_PDEATHSIG, role.options.death_signal);
  if (::getppid() != role.parent) ::_exit(not_started);  // it died before the line above
}

void clear_signals() {
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  for (const int number : {SIGPIPE, SIGXFSZ}) ::signal(number, SIG_DFL);
}

/// Who has started us may ignore SIGCHLD (Python, some runners of CI), and so do we then: the kernel reaps our
/// children itself, and nobody learns how they ended (wait(2), "NOTES").
void keep_children_for_us() {
  struct sigaction action {};
  ::sigaction(SIGCHLD, nullptr, &action);
  if (action.sa_handler != SIG_IGN && (action.sa_flags & SA_NOCLDWAIT) == 0) return;
  if (action.sa_handler == SIG_IGN) action.sa_handler = SIG_DFL;
  action.sa_flags &= ~SA_NOCLDWAIT;
  ::sigaction(SIGCHLD, &action, nullptr);
}

[[noreturn]] void become(const Role& role) {
  if (role.options.session == SessionOf::itself) ::setsid();
  take_streams(role);
  take_descriptors(role);
  const bool permitted = take_account(role.options.account);
  follow_parent(role);
  clear_signals();
  if (permitted) {
    ::execve(role.arguments[0], role.arguments.data(), role.environment);
    if (errno == EACCES && role.program) {
      ::execveat(role.program.get(), "", role.arguments.data(), role.environment, AT_EMPTY_PATH);
    }
  }
  const int reason = errno;
  if (role.failure >= 0) {
    (void)!::write(role.failure, &reason, sizeof reason);
  } else {
    ::dprintf(STDERR_FILENO, "cannot run %s: %s\n", role.arguments[0], std::strerror(reason));
  }
  ::_exit(not_started);
}

Role role_of(const StartOptions& options, int input, int failure) {
  Role role{options, {const_cast<char*>(options.program.c_str())}, {}, environ, {}, input, failure, ::getpid()};
  append_pointers(role.arguments, options.arguments);
  if (options.environment.has_value()) {
    append_pointers(role.variables, *options.environment);
    role.environment = role.variables.data();
  }
  if (options.account.has_value()) role.program = net::Fd(::open(options.program.c_str(), O_PATH | O_CLOEXEC));
  return role;
}

/// The end of a pipe from which `text` is read. It is in the pipe before there is anybody to read it.
net::Fd readable(const std::string& text, const std::string& program) {
  Pipe pipe;
  ::fcntl(pipe.write.get(), F_SETFL, O_NONBLOCK);
  constexpr std::size_t most = 1024 * 1024;  // that a user may ask for, usually
  const auto room = [&pipe] {
    return static_cast<std::size_t>(std::max(0, ::fcntl(pipe.write.get(), F_GETPIPE_SZ)));
  };
  // Who has many pipes gets small ones.
  if (text.size() > room() && text.size() <= most)
    (void)::fcntl(pipe.write.get(), F_SETPIPE_SZ, static_cast<int>(text.size()));
  errno = EAGAIN;  // of a write that stops short
  if (::write(pipe.write.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    const std::string reason = std::strerror(errno);
    throw RunError("cannot hand over " + std::to_string(text.size()) + " bytes to " + program + ": " + reason +
                   "; its pipe holds " + std::to_string(room()) +
                   " (/proc/sys/fs/pipe-user-pages-soft bounds a user's pipes, 1 MiB is the most for one)");
  }
  return std::move(pipe.read);
}

/// Waits until the program runs. Throws RunError when it cannot be executed, and there is no process then.
void require_executed(Child& child, Pipe& failure, const std::string& program) {
  failure.write.reset();
  int reason = 0;
  ssize_t got = 0;
  do {
    got = ::read(failure.read.get(), &reason, sizeof reason);
  } while (got < 0 && errno == EINTR);
  if (got <= 0) return;
  child.kill();
  throw RunError("cannot run " + program + ": " + std::strerror(reason));
}

}  // namespace

Child start(const StartOptions& options) {
  const net::Fd input = options.input.empty() ? net::Fd() : readable(options.input, options.program);
  std::optional<Pipe> failure;
  if (options.unexecutable == Unexecutable::throws) failure.emplace();
  const Role role = role_of(options, options.input_from >= 0 ? options.input_from : input.get(),
                            failure ? failure->write.get() : -1);
  keep_children_for_us();
  const pid_t pid = ::fork();
  if (pid < 0) throw RunError("cannot start " + options.program + ": " + std::strerror(errno));
  if (pid == 0) become(role);
  Child child(pid);
  if (failure) require_executed(child, *failure, options.program);
  return child;
}

}  // namespace nasvm::process
