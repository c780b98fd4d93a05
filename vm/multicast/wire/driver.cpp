#include "vm/multicast/wire/driver.hpp"

#include <poll.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "vm/status.hpp"

namespace nasvm::multicast {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::nanoseconds longest_sleep = std::chrono::milliseconds(100);

/// Sleeps until there is something, so long at most, and says where.
GroupPort::Ready wait(const GroupPort& port, std::chrono::nanoseconds timeout) {
  const auto [unicast, multicast] = port.descriptors();
  std::array<pollfd, 2> events{
      {{unicast, static_cast<short>(port.has_room() ? POLLIN : POLLIN | POLLOUT), 0}, {multicast, POLLIN, 0}}};
  const timespec limit{static_cast<time_t>(timeout.count() / 1'000'000'000),
                       static_cast<long>(timeout.count() % 1'000'000'000)};
  const int count = ::ppoll(events.data(), events.size(), &limit, nullptr);
  if (count < 0 && errno != EINTR) {
    throw RunError(std::string("cannot wait for a multicast group: ") + std::strerror(errno));
  }
  if (count <= 0) return {.unicast = false, .multicast = false};
  return {.unicast = (events[0].revents & ~POLLOUT) != 0, .multicast = events[1].revents != 0};
}

void serve(GroupPort& port, End& end, GroupPort::Ready ready) {
  const TimePoint now = Clock::now();
  if (ready.unicast || ready.multicast) (void)port.receive(end, now, ready);
  if (end.deadline() <= now) end.tick(now);
  (void)port.push(end, now);
}

std::chrono::nanoseconds time_to_sleep(const End& end) {
  const TimePoint deadline = end.deadline();
  if (deadline == TimePoint::max()) return longest_sleep;
  return std::clamp<std::chrono::nanoseconds>(deadline - Clock::now(), std::chrono::nanoseconds(0), longest_sleep);
}

}  // namespace

void serve_until(GroupPort& port, End& end, const std::function<bool()>& finished) {
  serve(port, end, {});  // nobody has looked yet
  while (!finished()) serve(port, end, wait(port, time_to_sleep(end)));
}

}  // namespace nasvm::multicast
