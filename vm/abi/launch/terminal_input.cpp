#include "vm/abi/launch/terminal_input.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

#include "vm/proc.hpp"

namespace nasvm::abi {
namespace {

/// Between looks whether the terminal is ours again.
constexpr int look_ms = 500;

/// Is there no shell that could put our process group into the foreground (POSIX, "orphaned process group")? By our
/// own ancestors.
bool is_orphaned() {
  for (auto at = process_status(::getpid()); at.has_value(); at = process_status(at->parent)) {
    if (at->group != ::getpgrp()) return at->session != ::getsid(0);
  }
  return true;
}

}  // namespace

std::optional<TerminalInput> TerminalInput::of(int input) {
  if (::tcgetpgrp(input) < 0) return {};
  // Opened anew: others have the user's descriptor, too, and it is theirs to choose whether that blocks.
  net::Fd terminal(::open("/dev/tty", O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (!terminal) return {};
  return TerminalInput(std::move(terminal));
}

net::Fd TerminalInput::open() {
  end();
  return pipe_.open();
}

void TerminalInput::watch(std::vector<pollfd>& watched) const {
  if (!pipe_) return;
  watched.push_back(pipe_.watched(!typed_.empty()));
  if (typed_.empty() && !in_background_) watched.push_back({terminal_.get(), POLLIN, 0});
}

int TerminalInput::patience() const { return in_background_ ? look_ms : -1; }

void TerminalInput::go_on() {
  // Before anything is read: it stays for the shell.
  if (pipe_ && !pipe_.is_read()) end();
  while (pipe_ && pass_on() && read_more()) {
  }
}

/// False: there is no room for all of it.
bool TerminalInput::pass_on() {
  if (typed_.empty()) return true;
  typed_.erase(0, pipe_.pass_on(typed_));
  if (!pipe_) end();
  return pipe_ && typed_.empty();
}

/// False: there is nothing to read, or it is not for us.
bool TerminalInput::read_more() {
  const pid_t foreground = ::tcgetpgrp(terminal_.get());
  in_background_ = foreground != ::getpgrp();
  if (foreground < 0 || (in_background_ && is_orphaned())) end();
  if (!pipe_ || in_background_) return false;
  std::array<char, 4096> text;
  const ssize_t count = ::read(terminal_.get(), text.data(), text.size());
  if (count > 0) {
    typed_.assign(text.data(), static_cast<std::size_t>(count));
  } else if (count < 0 && errno == EIO) {
    in_background_ = true;  // since a moment ago
  } else if (count == 0 || (errno != EAGAIN && errno != EINTR)) {
    end();
  }
  return count > 0;
}

void TerminalInput::end() {
  pipe_.end();
  typed_.clear();
  in_background_ = false;
}

}  // namespace nasvm::abi
