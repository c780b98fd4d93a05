#pragma once
/// \file
/// A port over a stream socket: a task of this host, or the console.

#include <functional>
#include <string>

#include "vm/daemon/forwarder.hpp"
#include "vm/daemon/port.hpp"
#include "vm/net/packet_stream.hpp"
#include "vm/net/poller.hpp"

namespace nasvm::daemon {

class StreamPort final : public Port, public Waiter, public net::Watcher, public net::PacketHandler {
 public:
  /// `closed` is called once, when the other side is gone or sends garbage; the port must not be destroyed in it.
  StreamPort(net::Fd socket, net::Poller& poller, WaiterQueue& ready, Router& router, ControlHandler& handler,
             Tid self, std::function<void(const std::string& reason)> closed);
  ~StreamPort() override;

  void send(std::unique_ptr<Frame> frame) override;
  [[nodiscard]] bool is_open() const { return open_; }
  [[nodiscard]] bool wants_to_send() const { return stream_.wants_to_send(); }

  void room() override;
  void ready(std::uint32_t events) override;
  net::Landing begin_packet(const Envelope& envelope) override;
  void end_packet(const Envelope& envelope, const net::Landing& landing) override;
  void packet_sent(net::Packet& packet) override;

 private:
  void handle(net::PacketStream::Result result);
  void update_interest();

  net::Poller& poller_;
  WaiterQueue& ready_;
  Router& router_;
  Forwarder forwarder_;
  net::PacketStream stream_;
  std::function<void(const std::string&)> closed_;
  std::uint32_t watched_ = EPOLLIN;
  bool open_ = true;
  bool watching_ = true;  ///< false once the other side has hung up with packets still to be read
};

}  // namespace nasvm::daemon
