#include "lab/wire.hpp"

#include <algorithm>

namespace nasvm::lab {
namespace {

using Clock = std::chrono::steady_clock;

/// Frames that one interface may bring before the others have their turn.
constexpr int turn_frames = 64;

/// Hands what has arrived to `take`, one frame after the other.
template <class Take>
void drain(FramePort& from, Take take) {
  for (int frames = 0; frames < turn_frames; ++frames) {
    const auto frame = from.receive();
    if (frame.empty()) break;
    take(frame);
  }
}

}  // namespace

/// From host to switch, by the link.
class Wire::Path final : public net::Watcher {
 public:
  Path(FramePort& from, FramePort& to, const LossyLink::Options& options) : from_(from), to_(to), link_(options) {}

  void ready(std::uint32_t) override {
    drain(from_, [&](std::span<const std::byte> frame) { link_.send(frame, Clock::now()); });
  }
  [[nodiscard]] LossyLink::TimePoint next_arrival() const { return link_.next_arrival(); }
  void deliver(LossyLink::TimePoint now) {
    for (;;) {
      const auto frame = link_.receive(now);
      if (!frame.has_value()) return;
      to_.send(*frame);
    }
  }

 private:
  FramePort& from_;
  FramePort& to_;
  LossyLink link_;
};

/// From switch to host, at once.
class Wire::Shortcut final : public net::Watcher {
 public:
  Shortcut(FramePort& from, FramePort& to) : from_(from), to_(to) {}

  void ready(std::uint32_t) override {
    drain(from_, [&](std::span<const std::byte> frame) { to_.send(frame); });
  }

 private:
  FramePort& from_;
  FramePort& to_;
};

Wire::Wire(const std::vector<Link>& links, const LossyLink::Options& path) {
  auto options = path;
  for (const auto& link : links) {
    auto& host_side = *ports_.emplace_back(std::make_unique<FramePort>(link.host_side));
    auto* switch_side = &host_side;
    if (link.switch_side != link.host_side) {
      switch_side = ports_.emplace_back(std::make_unique<FramePort>(link.switch_side)).get();
      auto& shortcut = *shortcuts_.emplace_back(std::make_unique<Shortcut>(*switch_side, host_side));
      poller_.add(switch_side->fd(), EPOLLIN, shortcut);
    }
    auto& there = *paths_.emplace_back(std::make_unique<Path>(host_side, *switch_side, options));
    poller_.add(host_side.fd(), EPOLLIN, there);
    ++options.seed;
  }
}

Wire::~Wire() = default;

void Wire::run() {
  for (;;) {
    poller_.wait(until_next_arrival());
    const auto now = Clock::now();
    for (const auto& path : paths_) path->deliver(now);
  }
}

/// Without end (negative) while nothing is on its way.
std::chrono::nanoseconds Wire::until_next_arrival() const {
  auto first = LossyLink::TimePoint::max();
  for (const auto& path : paths_) first = std::min(first, path->next_arrival());
  if (first == LossyLink::TimePoint::max()) return std::chrono::nanoseconds(-1);
  return std::max(std::chrono::nanoseconds(first - Clock::now()), std::chrono::nanoseconds::zero());
}

}  // namespace nasvm::lab
