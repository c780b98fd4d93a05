#include "vm/launch/signal_watch.hpp"

#include <sys/signalfd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string>

#include "vm/launch/machine.hpp"

namespace nasvm {
namespace {

constexpr std::array ending_signals{SIGINT, SIGTERM, SIGHUP};

/// As nohup and shells want it that start jobs in the background.
bool is_ignored(int number) {
  struct sigaction action {};
  return ::sigaction(number, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

/// Those that are not ignored: a blocked signal is kept even if it is.
sigset_t awaited_signals() {
  sigset_t set;
  ::sigemptyset(&set);
  for (const int number : ending_signals) {
    if (!is_ignored(number)) ::sigaddset(&set, number);
  }
  return set;
}

}  // namespace

Interrupted::Interrupted(int signal_number, const std::string& where)
    : Error(Exit::broken, std::string("interrupted by SIG") + ::sigabbrev_np(signal_number) + where),
      signal_number_(signal_number) {}

SignalWatch::SignalWatch(net::Poller& poller) : poller_(poller) {
  const sigset_t set = awaited_signals();
  fd_ = net::Fd(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!fd_) throw RunError(std::string("cannot wait for signals: ") + std::strerror(errno));
  poller_.add(fd_.get(), EPOLLIN, *this);
}

SignalWatch::~SignalWatch() { poller_.remove(fd_.get(), *this); }

void SignalWatch::ready(std::uint32_t) {
  signalfd_siginfo info{};
  if (::read(fd_.get(), &info, sizeof info) == sizeof info) throw Interrupted(static_cast<int>(info.ssi_signo));
}

SignalHold::SignalHold() : before_() {
  const sigset_t set = awaited_signals();
  ::sigprocmask(SIG_BLOCK, &set, &before_);
}

SignalHold::~SignalHold() { ::sigprocmask(SIG_SETMASK, &before_, nullptr); }

void take_held_signal() {
  const sigset_t set = awaited_signals();
  const timespec at_once{};
  const int number = ::sigtimedwait(&set, nullptr, &at_once);
  if (number > 0) throw Interrupted(number);
}

}  // namespace nasvm
