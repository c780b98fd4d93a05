#pragma once
/// \file
/// Ports of a daemon: where packets go out, to a task, to another host's daemon or to the console. Every port has a
/// bounded queue; who has a packet for a full one stops reading its own input and waits for room.

#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

#include "vm/net/packet_stream.hpp"
#include "vm/protocol/messages.hpp"

namespace nasvm::daemon {

/// The payload of a stored packet; several frames share it where a packet is fanned out.
using Body = std::shared_ptr<std::byte[]>;

/// A stored packet on its way through this daemon.
struct Frame : net::Packet {
  Body body;
};

/// An input that waits for room in a port.
class Waiter {
 public:
  virtual ~Waiter() = default;
  virtual void room() = 0;
};

/// Waiters whose port has room again; served between events, so that one port's progress never runs inside
/// another's.
class WaiterQueue {
 public:
  void push(Waiter& waiter) { waiters_.push_back(&waiter); }
  void forget(Waiter& waiter) { std::erase(waiters_, &waiter); }
  [[nodiscard]] bool empty() const { return waiters_.empty(); }
  void serve() {
    while (!waiters_.empty()) {
      Waiter* waiter = waiters_.front();
      waiters_.erase(waiters_.begin());
      waiter->room();
    }
  }

 private:
  std::vector<Waiter*> waiters_;
};

class Port {
 public:
  /// A port is full above this many queued bytes: a few packets, so that a stalled receiver costs little memory.
  static constexpr std::size_t bound_bytes = 512 * 1024;

  explicit Port(WaiterQueue& ready) : ready_(ready) {}
  virtual ~Port() = default;
  Port(const Port&) = delete;
  Port& operator=(const Port&) = delete;

  /// Takes a frame, also when full: the sender asks `full` before.
  virtual void send(std::unique_ptr<Frame> frame) = 0;
  void send_control(Tid source, Tid destination, const protocol::Message& message);

  [[nodiscard]] bool full() const { return shut_ || queued_bytes_ >= bound_bytes; }
  /// A shut port counts as full until it is opened: packets for it stay at their inputs.
  void shut() { shut_ = true; }
  void open() {
    shut_ = false;
    release_waiters();
  }
  void wait_for_room(Waiter& waiter) {
    if (std::ranges::find(waiters_, &waiter) == waiters_.end()) waiters_.push_back(&waiter);
  }
  void forget(Waiter& waiter) { std::erase(waiters_, &waiter); }
  /// Ends the waiting for this port: it has room, or is about to be destroyed.
  void release_waiters() {
    for (Waiter* waiter : waiters_) ready_.push(*waiter);
    waiters_.clear();
  }

 protected:
  void add_queued(std::size_t bytes) { queued_bytes_ += bytes; }
  void remove_queued(std::size_t bytes) {
    queued_bytes_ -= bytes;
    if (queued_bytes_ < bound_bytes / 2 && !waiters_.empty()) release_waiters();
  }

 private:
  WaiterQueue& ready_;
  bool shut_ = false;
  std::size_t queued_bytes_ = 0;
  std::vector<Waiter*> waiters_;
};

}  // namespace nasvm::daemon
