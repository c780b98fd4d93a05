#pragma once
/// \file
/// Store and forward: takes packets from one input (a task, another host, the console), stores each whole, and sends
/// it out by the ports that the router names. When one of them is full the input is held.

#include <memory>

#include "vm/daemon/port.hpp"
#include "vm/daemon/router.hpp"
#include "vm/net/packet_stream.hpp"

namespace nasvm::daemon {

/// Gets the packets that are for this daemon itself.
class ControlHandler {
 public:
  virtual ~ControlHandler() = default;
  virtual void control(const Envelope& envelope, std::span<const std::byte> text) = 0;
};

class Forwarder {
 public:
  /// `input` is told when a held packet may be offered again; it must outlive its waiting (Router::forget).
  Forwarder(Router& router, ControlHandler& handler, Tid self) : router_(router), handler_(handler), self_(self) {}

  /// Where the payload of an arriving packet goes; hold when there is no room.
  net::Landing begin(const Envelope& envelope, Waiter& input);
  void end(const Envelope& envelope, const net::Landing& landing);

 private:
  Router& router_;
  ControlHandler& handler_;
  Tid self_;
  Body body_;
};

}  // namespace nasvm::daemon
