#include "vm/broadcast/wire_line.hpp"

#include <sys/epoll.h>

#include <functional>

namespace nasvm::multicast {
namespace {

using Clock = std::chrono::steady_clock;

}  // namespace

WireLine::WireLine(const Surroundings& here, std::unique_ptr<GroupPort> port) : here_(here), port_(std::move(port)) {
  const auto [unicast, multicast] = port_->descriptors();
  here_.poller->add(unicast, EPOLLIN, unicast_);
  if (multicast >= 0) here_.poller->add(multicast, EPOLLIN, multicast_);
  here_.answer(1);
}

WireLine::~WireLine() {
  here_.answer(-1);
  const auto [unicast, multicast] = port_->descriptors();
  here_.poller->remove(unicast, unicast_);
  if (multicast >= 0) here_.poller->remove(multicast, multicast_);
}

void WireLine::attach(End& end) { end_ = &end; }

void WireLine::Socket::ready(std::uint32_t events) {
  if (line.end_ == nullptr) return;
  (void)line.look_for_losses();
  if ((events & ~static_cast<std::uint32_t>(EPOLLOUT)) != 0) {
    (void)line.port_->receive(*line.end_, Clock::now(), which);
  }
  line.flush();
}

void WireLine::flush() {
  const bool has_room = port_->push(*end_, Clock::now());
  if (is_stuck_ == !has_room) return;
  is_stuck_ = !has_room;
  here_.poller->change(port_->descriptors()[0], is_stuck_ ? EPOLLIN | EPOLLOUT : EPOLLIN, unicast_);
}

void WireLine::serve(End& end, const std::function<bool()>& done) {
  flush();
  while (!done()) {
    const TimePoint deadline = end.deadline();
    const auto over = [&] { return look_for_losses() || done() || end.deadline() < deadline; };
    here_.wait_until(std::ref(over), deadline);  // a copy would be put on the heap
    const TimePoint now = Clock::now();
    if (end.deadline() <= now) end.tick(now);
    flush();
  }
}

}  // namespace nasvm::multicast
