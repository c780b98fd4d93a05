#include "support/process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "support/deadline.hpp"
#include "vm/process/programs.hpp"

namespace nasvm::test {
namespace {

pid_t spawn(const std::string& program, const std::vector<std::string>& arguments, int out, int err) {
  const pid_t pid = ::fork();
  if (pid != 0) return pid;
  ::dup2(out, STDOUT_FILENO);
  ::dup2(err, STDERR_FILENO);
  std::vector<char*> argv{const_cast<char*>(program.c_str())};
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  ::execv(program.c_str(), argv.data());
  ::_exit(127);
}

/// Reads both pipes to their ends, or until nothing has come for as long as a deadline.
void drain(std::array<int, 2> fds, std::array<std::string*, 2> texts) {
  std::array<pollfd, 2> polled{pollfd{fds[0], POLLIN, 0}, pollfd{fds[1], POLLIN, 0}};
  Deadline deadline;
  for (int open = 2; open > 0;) {
    if (::poll(polled.data(), polled.size(), 1000) <= 0) {
      if (deadline.passed()) return;
      continue;
    }
    deadline = {};
    for (std::size_t i = 0; i < 2; ++i) {
      if (polled[i].fd < 0 || polled[i].revents == 0) continue;
      std::array<char, 4096> buffer;
      const ssize_t got = ::read(polled[i].fd, buffer.data(), buffer.size());
      if (got > 0) {
        texts[i]->append(buffer.data(), static_cast<std::size_t>(got));
      } else {
        polled[i].fd = -1;
        --open;
      }
    }
  }
}

}  // namespace

ProcessResult run_process(const std::string& program, const std::vector<std::string>& arguments) {
  std::array<int, 2> out{}, err{};
  if (::pipe2(out.data(), O_CLOEXEC) != 0 || ::pipe2(err.data(), O_CLOEXEC) != 0) throw std::runtime_error("pipe");
  const pid_t pid = spawn(program, arguments, out[1], err[1]);
  ::close(out[1]);
  ::close(err[1]);
  ProcessResult result;
  drain({out[0], err[0]}, {&result.out, &result.err});
  ::close(out[0]);
  ::close(err[0]);
  int status = 0;
  if (::waitpid(pid, &status, WNOHANG) == 0) {
    const auto ended = [&] { return ::waitpid(pid, &status, WNOHANG) == pid; };
    if (!eventually(ended)) {
      ::kill(pid, SIGKILL);
      ::waitpid(pid, &status, 0);
    }
  }
  result.exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  result.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  return result;
}

pid_t start_process_quietly(const std::string& program, const std::vector<std::string>& arguments) {
  const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  const pid_t pid = spawn(program, arguments, null, null);
  ::close(null);
  return pid;
}

std::vector<pid_t> descendants(pid_t pid) {
  std::vector<pid_t> all;
  std::ifstream file("/proc/" + std::to_string(pid) + "/task/" + std::to_string(pid) + "/children");
  for (pid_t child = 0; file >> child;) {
    all.push_back(child);
    const auto below = descendants(child);
    all.insert(all.end(), below.begin(), below.end());
  }
  return all;
}

bool eventually(const std::function<bool()>& done) {
  Deadline deadline;
  while (!done()) {
    if (deadline.passed()) return done();
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

char state_of(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string line;
  std::getline(file, line);
  const std::size_t after_name = line.rfind(") ");  // a name may hold anything
  return after_name == std::string::npos ? '\0' : line[after_name + 2];
}

bool is_running(pid_t pid) {
  const char state = state_of(pid);
  return state != '\0' && state != 'Z';
}

std::string built_program(const std::string& name) {
  return std::filesystem::path(process::own_program()).parent_path().parent_path() / name;
}

}  // namespace nasvm::test
