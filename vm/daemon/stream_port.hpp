#pragma once
/// \file
/// A port over a stream socket: a task of this host, or the console.

#include <cstdint>
#include <functional>

#include "vm/daemon/forwarder.hpp"
#include "vm/daemon/port.hpp"
#include "vm/net/packet_stream.hpp"
#include "vm/net/poller.hpp"

namespace nasvm::daemon {

/// What the stream ports of a daemon have in common. Everything outlives them.
struct PortContext {
  net::Poller& poller;
  WaiterQueue& ready;
  Router& router;
  ControlHandler& handler;
  Tid self;  ///< the daemon
};

class StreamPort final : public SingleRoomPort, public Waiter, public net::Watcher, public net::PacketHandler {
 public:
  /// Why nothing more comes.
  enum class End : std::uint8_t {
    closed,   ///< the other side is gone
    garbage,  ///< what it has sent is not a packet, not its own, or longer than any of the protocol
  };

  /// `peer`: who is at the other end; packets in another's name are garbage. `closed` is called once, at the end; the
  /// port must not be destroyed in it.
  StreamPort(net::Fd socket, Tid peer, const PortContext& context, std::function<void(End)> closed);
  ~StreamPort() override;

  void send(std::unique_ptr<Frame> frame) override;
  /// What is queued leaves now, not when the packet that is being answered has been dealt with.
  void push_out() { (void)stream_.flush(); }
  [[nodiscard]] bool is_open() const { return open_; }
  /// The other side reads nothing any more: what is queued for it is dropped, and what comes for it; nobody waits for
  /// its room. It is still heard. Not while the stream is sending.
  void end_output();
  /// The process at the other side has ended. What it has sent is still read, whether or not there is room for it,
  /// since its last words, and that it has ended, come behind; but nothing of what others write who hold its end:
  /// processes that it has left behind.
  void expect_no_more();
  [[nodiscard]] bool wants_to_send() const { return stream_.wants_to_send(); }

  void room() override;
  void ready(std::uint32_t events) override;
  net::Landing begin_packet(const Envelope& envelope) override;
  void end_packet(const Envelope& envelope, const net::Landing& landing) override;
  void packet_sent(net::Packet& packet) override;

 private:
  void receive();
  void resume();
  void handle(net::PacketStream::Result result);
  void close(End end);
  void update_interest();

  Tid peer_;
  PortContext context_;
  Forwarder forwarder_;
  net::PacketStream stream_;
  std::function<void(End)> closed_;
  std::uint32_t watched_ = EPOLLIN;
  bool open_ = true;
  bool takes_output_ = true;
  bool watching_ = true;  ///< false once the other side has hung up with packets still to be read
};

}  // namespace nasvm::daemon
