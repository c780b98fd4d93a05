#include "vm/net/timer.hpp"

#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "vm/status.hpp"

namespace nasvm::net {

Timer::Timer(Poller& poller, std::function<void()> expired)
    : poller_(poller),
      expired_(std::move(expired)),
      fd_(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK)) {
  if (!fd_) throw RunError(std::string("cannot make a timer: ") + std::strerror(errno));
  poller_.add(fd_.get(), EPOLLIN, *this);
}

Timer::~Timer() { poller_.remove(fd_.get(), *this); }

void Timer::set(Clock::time_point moment) {
  // Zero would stop it.
  const auto since_epoch = std::max<Clock::duration>(moment.time_since_epoch(), std::chrono::nanoseconds(1));
  const auto seconds = std::chrono::floor<std::chrono::seconds>(since_epoch);
  const std::chrono::nanoseconds rest = since_epoch - seconds;
  const itimerspec at{{0, 0}, {seconds.count(), rest.count()}};
  ::timerfd_settime(fd_.get(), TFD_TIMER_ABSTIME, &at, nullptr);
  set_ = true;
}

void Timer::stop() {
  const itimerspec never{};
  ::timerfd_settime(fd_.get(), 0, &never, nullptr);
  set_ = false;
}

void Timer::ready(std::uint32_t) {
  // It may have been stopped, or set anew, since the poller was told of it.
  std::uint64_t times = 0;
  if (::read(fd_.get(), &times, sizeof times) != sizeof times) return;
  stop();
  expired_();
}

}  // namespace nasvm::net
