#pragma once
/// \file
/// A task's connection to its daemon: the Unix stream socket it was born with. Carries routed packets, control, and
/// the task's result. Its end is the end of the task.

#include <deque>
#include <functional>
#include <span>
#include <string>

#include "vm/net/packet_stream.hpp"
#include "vm/net/poller.hpp"
#include "vm/protocol/protocol.hpp"

namespace nasvm {

class DaemonLink final : public net::Watcher, public net::PacketHandler {
 public:
  DaemonLink(net::Fd socket, net::Poller& poller);
  ~DaemonLink() override;

  /// Who gets the packets of other tasks.
  void set_handler(net::PacketHandler& handler) { handler_ = &handler; }
  /// Lets messages of other tasks in; the handler knows the tasks by now. What came before is kept until then.
  void open();
  void set_self(Tid self) { self_ = self; }
  /// Of the socket; the system may round it, and has an upper limit (net.core.wmem_max).
  void set_send_buffer(std::size_t bytes);

  /// Blocks until the daemon has said something. Throws RunError when it is gone.
  protocol::Message next_control();
  /// Who hears what the daemon says from now on, in place of next_control. Called while packets are read.
  void on_control(std::function<void(const protocol::Message&)> listener);
  void send_control(const protocol::Message& message);
  /// Sends a result to the console.
  void report(std::span<const std::byte> data);
  /// Blocks until everything has left, as far as the daemon lives.
  void flush();

  /// Says the last that this task has to say. Blocks until it has left, 2 s at most; false: the daemon lives, and has
  /// not taken it. What the task was sending is given up, and nothing is received any more: the memory for both may
  /// be gone.
  bool say_last(const protocol::Message& message);

  void send(net::Packet& packet);
  /// A payload of that task that is arriving is given up.
  void forget(Tid source) { stream_.forget(source); }
  bool poll();

  // net::Watcher, net::PacketHandler
  void ready(std::uint32_t events) override;
  net::Landing begin_packet(const Envelope& envelope) override;
  void end_packet(const Envelope& envelope, const net::Landing& landing) override;
  void packet_sent(net::Packet& packet) override;

 private:
  void make_room();
  /// Does something with the stream; what a handler that throws has left there is gone on with by the poller.
  template <typename Work>
  auto going_on(const Work& work);
  void check(net::PacketStream::Result result);
  void update_interest();

  net::Poller& poller_;
  net::PacketStream stream_;
  net::PacketHandler* handler_ = nullptr;
  bool open_ = false;
  Tid self_;
  bool watching_output_ = false;
  std::vector<std::byte> control_text_;
  std::deque<protocol::Message> controls_;
  std::function<void(const protocol::Message&)> control_listener_;
};

}  // namespace nasvm
