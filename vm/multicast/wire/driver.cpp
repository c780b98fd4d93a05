#include "vm/multicast/wire/driver.hpp"

#include <sched.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "vm/status.hpp"

namespace nasvm::multicast {
namespace {

using Clock = std::chrono::steady_clock;

}  // namespace

Driver::Driver(GroupPort& port, End& end, const Options& options)
    : port_(port), end_(end), options_(options), patience_(options.patience) {}

/// Waits until there is something, so long at most, and notes where.
bool Driver::look(std::chrono::nanoseconds timeout) {
  const auto [unicast, multicast] = port_.descriptors();
  events_.clear();
  events_.push_back({unicast, static_cast<short>(port_.has_room() ? POLLIN : POLLIN | POLLOUT), 0});
  events_.push_back({multicast, POLLIN, 0});
  for (const int watched : options_.watched) events_.push_back({watched, POLLIN, 0});
  const timespec limit{static_cast<time_t>(timeout.count() / 1'000'000'000),
                       static_cast<long>(timeout.count() % 1'000'000'000)};
  const int count = ::ppoll(events_.data(), events_.size(), &limit, nullptr);
  if (count < 0 && errno != EINTR) {
    throw RunError(std::string("cannot wait for a multicast group: ") + std::strerror(errno));
  }
  if (count <= 0) {
    ready_ = {false, false};
    return false;
  }
  ready_ = {(events_[0].revents & ~POLLOUT) != 0, events_[1].revents != 0};
  return true;
}

/// What the last look has found.
bool Driver::serve() {
  const TimePoint now = Clock::now();
  bool moved = (ready_.unicast || ready_.multicast) && port_.receive(end_, now, ready_) > 0;
  if (end_.deadline() <= now) {
    end_.tick(now);
    moved = true;
  }
  // What it sends then may fill the port again, which may be empty when it is asked.
  for (bool had_room = port_.has_room(); port_.flush() && !had_room; moved = true) {
    end_.resume(now);
    had_room = port_.has_room();
  }
  return moved;
}

bool Driver::step() {
  (void)look(std::chrono::nanoseconds(0));
  return serve();
}

bool Driver::is_due() const { return end_.deadline() <= Clock::now(); }

std::chrono::nanoseconds Driver::time_to_sleep() const {
  const TimePoint deadline = end_.deadline();
  if (deadline == TimePoint::max()) return options_.longest_sleep;
  return std::clamp<std::chrono::nanoseconds>(deadline - Clock::now(), std::chrono::nanoseconds(0),
                                              options_.longest_sleep);
}

void Driver::wait() {
  using Advice = Patience::Advice;
  for (Advice advice = patience_.begin(); advice != Advice::sleep;) {
    if (advice == Advice::yield) ::sched_yield();
    for (unsigned i = 0; i < patience_.looks(); ++i) {
      if (look(std::chrono::nanoseconds(0)) || is_due()) return;
    }
    advice = patience_.advise(false, ticks_now());
  }
  (void)look(time_to_sleep());
}

void Driver::run_until(const std::function<bool()>& finished) {
  ready_ = {};  // nobody has looked yet
  (void)serve();
  while (!finished()) {
    wait();
    (void)serve();
  }
}

}  // namespace nasvm::multicast
