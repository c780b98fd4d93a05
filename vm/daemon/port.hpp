#pragma once
/// \file
/// Ports of a daemon: where packets go out, to a task, to another host's daemon or to the console. The packets for
/// each destination have bounded room; who has a packet for which there is none stops reading its own input, and
/// waits. So one destination that takes nothing stops those who send to it, and nobody else
/// (docs/decisions/daemon-rooms.md).

#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

#include "vm/net/packet_stream.hpp"
#include "vm/protocol/messages.hpp"

namespace nasvm::daemon {

/// The payload of a stored packet; several frames share it where a packet is fanned out.
using Body = std::shared_ptr<std::byte[]>;

/// The text of a control message, written once for all who are sent it.
struct ControlText {
  explicit ControlText(const protocol::Message& message);

  Body body;
  std::size_t bytes = 0;
};

/// A stored packet on its way through this daemon.
struct Frame : net::Packet {
  Body body;
  /// Does it take room in the port? Not what has come from another host, whose daemon has seen to its room before.
  bool takes_room = true;
  /// Whose packets it must not overtake, nor be overtaken by, but for what may pass data (net::may_pass_data).
  Tid lane;
  /// That of the copies for other hosts, which may leave together (link::Sharing); 0: none.
  std::uint64_t block = 0;

  /// Bytes of it, which count against rooms.
  [[nodiscard]] std::size_t weight() const { return net::weight(envelope); }
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

/// Room for packets: bounded. Who finds it full waits until half of it is free again.
class Room {
 public:
  explicit Room(WaiterQueue& ready, std::size_t bytes = least_bytes) : ready_(ready), bytes_(bytes) {}
  Room(const Room&) = delete;
  Room& operator=(const Room&) = delete;

  /// What no room is smaller than: a few packets.
  static constexpr std::size_t least_bytes = 512 * 1024;

  /// With `bytes` it is full; one packet of each input may exceed that.
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  [[nodiscard]] bool full() const { return shut_ || used_bytes_ >= bytes_; }
  [[nodiscard]] bool is_shut() const { return shut_; }
  [[nodiscard]] bool is_unused() const { return used_bytes_ == 0 && waiters_.empty() && !shut_; }
  /// A shut room counts as full until it is opened: packets for it stay at their inputs.
  void shut() { shut_ = true; }
  void open() {
    shut_ = false;
    release_waiters();
  }
  void take(std::size_t bytes) { used_bytes_ += bytes; }
  void give_back(std::size_t bytes) {
    used_bytes_ -= std::min(bytes, used_bytes_);
    if (used_bytes_ < bytes_ / 2) release_waiters();
  }
  void wait(Waiter& waiter) {
    if (std::ranges::find(waiters_, &waiter) == waiters_.end()) waiters_.push_back(&waiter);
  }
  void forget(Waiter& waiter) { std::erase(waiters_, &waiter); }
  /// Ends the waiting: there is room, or the room is about to be destroyed.
  void release_waiters() {
    for (Waiter* waiter : waiters_) ready_.push(*waiter);
    waiters_.clear();
  }

 private:
  WaiterQueue& ready_;
  std::size_t bytes_;
  bool shut_ = false;
  std::size_t used_bytes_ = 0;
  std::vector<Waiter*> waiters_;
};

class Port {
 public:
  Port() = default;
  virtual ~Port() = default;
  Port(const Port&) = delete;
  Port& operator=(const Port&) = delete;

  /// Takes a frame, also when its room is full: the sender asks before.
  virtual void send(std::unique_ptr<Frame> frame) = 0;
  void send_control(Tid source, Tid destination, const protocol::Message& message) {
    send_control(source, destination, message, source);
  }
  /// `lane`: as that of a frame.
  void send_control(Tid source, Tid destination, const protocol::Message& message, Tid lane) {
    send_text(source, destination, ControlText(message), lane);
  }
  void send_text(Tid source, Tid destination, const ControlText& text, Tid lane);

  /// The room of packets that leave by this port for a destination.
  virtual Room& room_for(Tid destination) = 0;
  /// Forgets a waiter that is about to be destroyed.
  virtual void forget(Waiter& waiter) = 0;
};

/// A port with one room for all that leaves by it.
class SingleRoomPort : public Port {
 public:
  explicit SingleRoomPort(WaiterQueue& ready) : room_(ready) {}

  Room& room_for(Tid) override { return room_; }
  void forget(Waiter& waiter) override { room_.forget(waiter); }
  Room& own_room() { return room_; }

 protected:
  void add_queued(const Frame& frame) {
    if (frame.takes_room) room_.take(frame.weight());
  }
  void remove_queued(const Frame& frame) {
    if (frame.takes_room) room_.give_back(frame.weight());
  }

 private:
  Room room_;
};

}  // namespace nasvm::daemon
