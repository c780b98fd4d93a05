#include "vm/launch/launcher.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <vector>

#include "vm/launch/local_launcher.hpp"
#include "vm/launch/machine.hpp"
#include "vm/status.hpp"

namespace nasvm {
namespace {

constexpr std::array table{
    LauncherRow{"local", "starts the daemons on this host, one for each address in the hostfile",
                make_local_launcher},
};

[[noreturn]] void become(const char* program, char* const* arguments, int input, pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(127);
  ::dup2(input, STDIN_FILENO);
  ::dup2(STDERR_FILENO, STDOUT_FILENO);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::execv(program, arguments);
  ::_exit(127);
}

}  // namespace

std::span<const LauncherRow> launchers() { return table; }

std::unique_ptr<Launcher> make_launcher(std::string_view name) {
  const auto found = std::ranges::find(table, name, &LauncherRow::name);
  if (found != table.end()) return found->make();
  std::string known;
  for (const LauncherRow& row : table) known += (known.empty() ? "" : ", ") + std::string(row.name);
  throw UsageError("unknown launcher \"" + std::string(name) + "\"; known: " + known);
}

std::string daemon_program() {
  const std::filesystem::path self = own_program();
  // Test programs live one folder below.
  for (const auto& folder : {self.parent_path(), self.parent_path().parent_path()}) {
    const auto program = folder / "nasvmd";
    if (::access(program.c_str(), X_OK) == 0) return program;
  }
  throw UsageError("nasvmd is not beside " + self.string() + ": build it (make build)");
}

LaunchedProcess start_process(const std::string& program, std::span<const std::string> arguments,
                              const std::string& input) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0)
    throw RunError(std::string("cannot make a pipe: ") + std::strerror(errno));
  const net::Fd read_end(ends[0]);
  const net::Fd write_end(ends[1]);
  std::vector<char*> argv{const_cast<char*>(program.c_str())};
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid < 0) throw RunError("cannot start " + program + ": " + std::strerror(errno));
  if (pid == 0) become(program.c_str(), argv.data(), read_end.get(), parent);
  LaunchedProcess process{pid, net::Fd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)))};
  // A line of a few hundred bytes fits into the pipe; the child reads it when it comes to it.
  if (::write(write_end.get(), input.data(), input.size()) != static_cast<ssize_t>(input.size())) {
    throw RunError("cannot tell " + program + " where the console is: " + std::strerror(errno));
  }
  return process;
}

}  // namespace nasvm
