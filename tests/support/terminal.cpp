#include "support/terminal.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <stdexcept>

#include "support/process.hpp"

namespace nasvm::test {

Terminal::Terminal() : user_(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC)) {
  std::array<char, 128> name{};
  if (!user_ || ::grantpt(user_.get()) != 0 || ::unlockpt(user_.get()) != 0 ||
      ::ptsname_r(user_.get(), name.data(), name.size()) != 0) {
    throw std::runtime_error("no terminal");
  }
  line_ = net::Fd(::open(name.data(), O_RDWR | O_NOCTTY | O_CLOEXEC));
  if (!line_) throw std::runtime_error("no terminal");
}

void Terminal::type(const std::string& text) const {
  if (::write(user_.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    throw std::runtime_error("the terminal takes nothing");
  }
}

bool Terminal::shows(const std::string& words) {
  return eventually([&] {
    std::array<char, 4096> text;
    for (pollfd there{user_.get(), POLLIN, 0}; ::poll(&there, 1, 0) > 0;) {
      const ssize_t count = ::read(user_.get(), text.data(), text.size());
      if (count <= 0) break;
      shown_.append(text.data(), static_cast<std::size_t>(count));
    }
    return shown_.find(words) != std::string::npos;
  });
}

pid_t Terminal::lead(const std::function<int()>& body) const {
  const pid_t process = ::fork();
  if (process != 0) return process;
  ::setsid();
  if (::ioctl(line_.get(), TIOCSCTTY, 0) != 0 || ::dup2(line_.get(), STDIN_FILENO) < 0) ::_exit(126);
  try {
    ::_exit(body());
  } catch (const std::exception&) {
    ::_exit(125);
  }
}

int exit_status_of(pid_t process) {
  int status = 0;
  if (!eventually([&] { return ::waitpid(process, &status, WNOHANG) != 0; })) {
    ::kill(process, SIGKILL);
    ::waitpid(process, &status, 0);
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace nasvm::test
