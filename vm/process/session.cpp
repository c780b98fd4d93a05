#include "vm/process/session.hpp"

#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "vm/status.hpp"

namespace nasvm {
namespace {

using namespace std::chrono_literals;

constexpr auto kill_patience = 2s;

struct Pipe {
  Pipe() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
      throw RunError(std::string("cannot make a pipe: ") + std::strerror(errno));
    }
    read = net::Fd(ends[0]);
    write = net::Fd(ends[1]);
    ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
  }
  net::Fd read, write;
};

/// What a new process becomes: the program, found by path or already open.
struct Role {
  char* const* arguments;
  char* const* environment;
  int program;
  const std::optional<Account>& account;
  int output, error;
};

/// Root is given up for good.
bool take_account(const Account& account) {
  return ::setgroups(1, &account.gid) == 0 && ::setgid(account.gid) == 0 && ::setuid(account.uid) == 0;
}

/// The kernel forgets the death signal where a process changes its user, so that comes first.
[[noreturn]] void become(const Role& role, pid_t parent) {
  ::setsid();
  const int null = ::open("/dev/null", O_RDONLY);
  if (null >= 0) ::dup2(null, STDIN_FILENO);
  ::dup2(role.output, STDOUT_FILENO);
  ::dup2(role.error, STDERR_FILENO);
  const bool permitted = !role.account.has_value() || take_account(*role.account);
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() != parent) ::_exit(127);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::signal(SIGPIPE, SIG_DFL);
  if (permitted) {
    ::execve(role.arguments[0], role.arguments, role.environment);
    if (errno == EACCES) ::execveat(role.program, "", role.arguments, role.environment, AT_EMPTY_PATH);
  }
  ::dprintf(STDERR_FILENO, "cannot run %s: %s\n", role.arguments[0], std::strerror(errno));
  ::_exit(127);
}

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (const std::string& text : texts) result.push_back(const_cast<char*>(text.c_str()));
  result.push_back(nullptr);
  return result;
}

/// The session that a process belongs to; 0 when it is gone.
pid_t session_of(const std::filesystem::path& folder) {
  std::ifstream file(folder / "stat");
  std::string text;
  std::getline(file, text);
  // "pid (name) state parent group session ...", where the name may have anything in it.
  std::istringstream fields(text.substr(std::min(text.size(), text.rfind(')') + 1)));
  std::string state;
  pid_t parent = 0, group = 0, session = 0;
  fields >> state >> parent >> group >> session;
  return session;
}

}  // namespace

// --- LineReader -------------------------------------------------------------------------------------------------

LineReader::LineReader(net::Fd pipe, net::Poller& poller, std::function<void(std::string)> on_line)
    : pipe_(std::move(pipe)), poller_(poller), on_line_(std::move(on_line)) {
  poller_.add(pipe_.get(), EPOLLIN, *this);
}

LineReader::~LineReader() { close(); }

void LineReader::close() {
  if (pipe_) poller_.remove(pipe_.get(), *this);
  pipe_.reset();
}

void LineReader::ready(std::uint32_t) {
  std::array<char, 4096> chunk;
  for (;;) {
    const ssize_t count = ::read(pipe_.get(), chunk.data(), chunk.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) break;
    if (count <= 0) {
      close();
      break;
    }
    pending_.append(chunk.data(), static_cast<std::size_t>(count));
  }
  std::size_t begin = 0;
  for (std::size_t end; (end = pending_.find('\n', begin)) != std::string::npos; begin = end + 1) {
    on_line_(pending_.substr(begin, end - begin));
  }
  pending_.erase(0, begin);
  if (at_end() && !pending_.empty()) on_line_(std::exchange(pending_, {}));
}

// --- Session ----------------------------------------------------------------------------------------------------

Subreaper::Subreaper() {
  ::prctl(PR_GET_CHILD_SUBREAPER, &before_);
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
}

Subreaper::~Subreaper() { ::prctl(PR_SET_CHILD_SUBREAPER, before_); }

Session::Session(const std::vector<std::string>& arguments, const std::vector<std::string>& environment,
                 const std::optional<Account>& account) {
  Pipe output, error;
  const std::vector<char*> argument_pointers = pointers(arguments);
  const std::vector<char*> environment_pointers = pointers(environment);
  const net::Fd program(account.has_value() ? ::open(arguments[0].c_str(), O_PATH | O_CLOEXEC) : -1);
  const Role role{argument_pointers.data(), environment_pointers.data(), program.get(), account, output.write.get(),
                  error.write.get()};
  const pid_t parent = ::getpid();
  pid_ = ::fork();
  if (pid_ < 0) throw RunError("cannot start " + arguments[0] + ": " + std::strerror(errno));
  if (pid_ == 0) become(role, parent);
  output_ = std::move(output.read);
  error_ = std::move(error.read);
}

Session::~Session() { kill_all(); }

std::optional<int> Session::ended() {
  int status = 0;
  if (!wait_status_.has_value() && ::waitpid(pid_, &status, WNOHANG) == pid_) wait_status_ = status;
  return wait_status_;
}

void Session::terminate() {
  if (!ended().has_value()) ::kill(pid_, SIGTERM);
}

std::vector<pid_t> Session::members() const {
  std::vector<pid_t> found;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", error)) {
    const std::string name = entry.path().filename();
    pid_t pid = 0;
    if (std::from_chars(name.data(), name.data() + name.size(), pid).ptr != name.data() + name.size()) continue;
    if (session_of(entry.path()) == pid_) found.push_back(pid);
  }
  return found;
}

void Session::kill_all() {
  const auto deadline = std::chrono::steady_clock::now() + kill_patience;
  while (std::chrono::steady_clock::now() < deadline) {
    if (!ended().has_value()) ::kill(pid_, SIGKILL);
    const std::vector<pid_t> left = members();
    if (left.empty() && ended().has_value()) return;
    for (const pid_t pid : left) {
      if (pid == pid_) continue;
      ::kill(pid, SIGKILL);
      (void)::waitpid(pid, nullptr, WNOHANG);  // an orphan has become our child
    }
    ::usleep(1000);
  }
}

}  // namespace nasvm
