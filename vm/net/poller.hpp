#pragma once
/// \file
/// Readiness of descriptors by epoll: who registers one is called when it can be read or written.

#include <sys/epoll.h>

#include <chrono>
#include <cstdint>

#include "vm/net/fd.hpp"

namespace nasvm::net {

/// Called by Poller::wait. May add, change or remove any descriptor, its own included.
class Watcher {
 public:
  virtual ~Watcher() = default;
  /// `events`: EPOLLIN, EPOLLOUT, EPOLLHUP, EPOLLERR as epoll reports them.
  virtual void ready(std::uint32_t events) = 0;
};

class Poller {
 public:
  Poller();

  /// Watches `fd` for `events` (EPOLLIN | EPOLLOUT). The watcher must be removed before it is destroyed.
  void add(int fd, std::uint32_t events, Watcher& watcher);
  void change(int fd, std::uint32_t events, Watcher& watcher);
  void remove(int fd, Watcher& watcher);
  /// For a watcher that looks at its descriptor often by itself: it is watched for `events` again from the next
  /// `wait` on that may block. Until then each `wait` calls it once, uncounted, as if it could be read. One
  /// descriptor can be parked: parking another one, or `change`, ends it.
  void park(int fd, std::uint32_t events, Watcher& watcher);

  /// Calls the watchers of everything that is ready; blocks up to `timeout` (negative: without end; zero: not at
  /// all) while nothing is. Returns how many were called.
  int wait(std::chrono::nanoseconds timeout);

 private:
  static constexpr int batch = 64;

  void end_parking();
  /// epoll_pwait2 into events_, or epoll_wait where the system refuses that.
  int sleep(std::chrono::nanoseconds timeout);

  Fd epoll_;
  epoll_event events_[batch];
  int current_ = 0;
  int found_ = 0;
  int parked_ = -1;
  std::uint32_t parked_events_ = 0;
  Watcher* parked_watcher_ = nullptr;
  bool coarse_ = false;  ///< the system has refused epoll_pwait2
};

}  // namespace nasvm::net
