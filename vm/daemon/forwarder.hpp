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

/// An input whose packets have been given room where they come from: it hears when that is free again.
class Landlord {
 public:
  virtual ~Landlord() = default;
  /// Nothing of a packet for `destination` is stored here any more. May come at any time, also
  /// within the landlord's own calls: it must not read or write its stream.
  virtual void freed(Tid destination, std::size_t bytes) = 0;
};

class Forwarder {
 public:
  Forwarder(Router& router, ControlHandler& handler, Tid self) : router_(router), handler_(handler), self_(self) {}
  /// With a landlord, packets are taken however full the ports are, and held only while one is shut.
  Forwarder(Router& router, ControlHandler& handler, Tid self, Landlord& landlord)
      : router_(router), handler_(handler), self_(self), landlord_(&landlord) {}

  /// Where the payload of an arriving packet goes; hold when there is no room: then `input` is told when it may be
  /// offered again, and must outlive its waiting (Router::forget).
  net::Landing begin(const Envelope& envelope, Waiter& input);
  void end(const Envelope& envelope, const net::Landing& landing);

  /// From now on packets are taken however full the ports are: the input has ended, and the little that it has left
  /// must not wait for somebody who takes nothing.
  void take_the_rest() { takes_the_rest_ = true; }

 private:
  [[nodiscard]] Body store(const Envelope& envelope);

  Router& router_;
  ControlHandler& handler_;
  Tid self_;
  Landlord* landlord_ = nullptr;
  bool takes_the_rest_ = false;
  Body body_;
};

}  // namespace nasvm::daemon
