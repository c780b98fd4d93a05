#include "vm/transport/daemon/daemon_link.hpp"

#include <sys/socket.h>

#include <array>
#include <catch2/catch.hpp>
#include <thread>

#include "support/deadline.hpp"
#include "support/packet_recorder.hpp"
#include "vm/net/packet_stream.hpp"

using namespace nasvm;
using namespace nasvm::test;

TEST_CASE("the task's socket to its daemon gets the send buffer that was asked for", "[transport]") {
  std::array<int, 2> ends{};
  REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends.data()) == 0);
  const net::Fd daemon_end(ends[1]);
  net::Poller poller;
  DaemonLink link(net::Fd{ends[0]}, poller);
  link.set_send_buffer(65536);
  int bytes = 0;
  socklen_t length = sizeof bytes;
  REQUIRE(::getsockopt(ends[0], SOL_SOCKET, SO_SNDBUF, &bytes, &length) == 0);
  CHECK(bytes == 2 * 65536);  // the kernel doubles it, for its own records
}

TEST_CASE("a task's last words leave whole, and touch no buffer of what it was sending or receiving", "[transport]") {
  std::array<int, 2> ends{};
  REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends.data()) == 0);
  net::Poller poller;
  PacketRecorder of_task, of_daemon;
  DaemonLink link(net::Fd{ends[0]}, poller);
  link.set_handler(of_task);
  link.set_self(Tid::task(1, 1));
  link.open();
  net::PacketStream daemon(net::Fd{ends[1]}, of_daemon);
  // Two messages that do not fit into the socket, whose memory is gone then; and one that has come.
  std::vector<OwnPacket> packets;
  packets.reserve(2);
  for (unsigned seed : {1, 2}) link.send(packets.emplace_back(pattern(8'000'000, seed)));
  OwnPacket coming(pattern(1000));
  daemon.send(coming);
  for (OwnPacket& packet : packets) packet.payload = nullptr;

  std::thread reader([&] {
    for (Deadline deadline; of_daemon.arrived.size() < 2 && !deadline.passed();) (void)daemon.receive();
  });
  link.say_last(protocol::Failed{.tid = Tid::task(1, 1), .exit = Exit::broken, .text = "it is over"});
  reader.join();
  REQUIRE(of_daemon.arrived.size() == 2);
  CHECK(of_daemon.arrived[0].payload.size() == 8'000'000);
  const auto failed = protocol::expect<protocol::Failed>(protocol::parse(of_daemon.arrived[1].payload));
  CHECK(failed.text == "it is over");
  CHECK(of_task.begun == 0);
  CHECK(of_task.sent.empty());
}
