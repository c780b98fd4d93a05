#include "vm/net/poller.hpp"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <string>
#include <utility>

#include "vm/status.hpp"

namespace nasvm::net {
namespace {

/// To the millisecond, not shorter than asked: for kernels before 5.11, and containers whose filter of system calls
/// is older than epoll_pwait2 and answers ENOSYS or EPERM.
int coarse_wait(int epoll, epoll_event* events, int most, std::chrono::nanoseconds timeout) {
  const auto limit = std::chrono::ceil<std::chrono::milliseconds>(timeout).count();
  return ::epoll_wait(epoll, events, most,
                      timeout.count() < 0 ? -1 : static_cast<int>(std::min<long>(limit, INT_MAX)));
}

[[noreturn]] void fail(const char* what) { throw RunError(std::string(what) + ": " + std::strerror(errno)); }

}  // namespace

Poller::Poller() : epoll_(::epoll_create1(EPOLL_CLOEXEC)) {
  if (!epoll_) fail("cannot create an epoll descriptor");
}

void Poller::add(int fd, std::uint32_t events, Watcher& watcher) {
  epoll_event event{};
  event.events = events;
  event.data.ptr = &watcher;
  if (::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) != 0) fail("cannot watch a descriptor");
}

void Poller::change(int fd, std::uint32_t events, Watcher& watcher) {
  if (fd == parked_) {
    parked_ = -1;
    return add(fd, events, watcher);
  }
  epoll_event event{};
  event.events = events;
  event.data.ptr = &watcher;
  if (::epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, fd, &event) != 0) fail("cannot change a watched descriptor");
}

void Poller::remove(int fd, Watcher& watcher) {
  if (fd == parked_) {
    parked_ = -1;
    return;
  }
  ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr);
  // The watcher may be about to be destroyed: forget what this batch still holds for it.
  for (int i = current_; i < found_; ++i) {
    if (events_[i].data.ptr == &watcher) events_[i].data.ptr = nullptr;
  }
}

void Poller::park(int fd, std::uint32_t events, Watcher& watcher) {
  if (fd == parked_) return;
  end_parking();
  remove(fd, watcher);
  parked_ = fd;
  parked_events_ = events;
  parked_watcher_ = &watcher;
}

void Poller::end_parking() {
  if (parked_ >= 0) add(std::exchange(parked_, -1), parked_events_, *parked_watcher_);
}

int Poller::sleep(std::chrono::nanoseconds timeout) {
  if (coarse_) return coarse_wait(epoll_.get(), events_, batch, timeout);
  const timespec limit{static_cast<time_t>(timeout.count() / 1'000'000'000),
                       static_cast<long>(timeout.count() % 1'000'000'000)};
  const int count = ::epoll_pwait2(epoll_.get(), events_, batch, timeout.count() < 0 ? nullptr : &limit, nullptr);
  if (count >= 0 || (errno != ENOSYS && errno != EPERM)) return count;
  coarse_ = true;
  return coarse_wait(epoll_.get(), events_, batch, timeout);
}

int Poller::wait(std::chrono::nanoseconds timeout) {
  if (timeout.count() != 0) end_parking();
  if (parked_ >= 0) parked_watcher_->ready(EPOLLIN);
  const int count = sleep(timeout);
  if (count < 0) {
    if (errno == EINTR) return 0;
    fail("epoll_wait");
  }
  found_ = count;
  for (current_ = 0; current_ < found_;) {
    const epoll_event event = events_[current_++];
    if (event.data.ptr != nullptr) static_cast<Watcher*>(event.data.ptr)->ready(event.events);
  }
  found_ = current_ = 0;
  return count;
}

}  // namespace nasvm::net
