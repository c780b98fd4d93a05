#include "vm/transport/daemon/daemon_link.hpp"

#include <sys/socket.h>

#include <array>
#include <catch2/catch.hpp>
#include <stdexcept>
#include <thread>

#include "support/deadline.hpp"
#include "support/packet_recorder.hpp"
#include "vm/net/packet_stream.hpp"

using namespace nasvm;
using namespace nasvm::test;

namespace {

/// A task's link, and the other end of its socket.
struct LinkedPair {
  LinkedPair() : LinkedPair(connected_sockets()) {}
  static std::array<int, 2> connected_sockets() {
    std::array<int, 2> ends{};
    REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends.data()) == 0);
    return ends;
  }

  net::Poller poller;
  PacketRecorder of_task, of_daemon;
  DaemonLink link;
  net::PacketStream daemon;

 private:
  explicit LinkedPair(const std::array<int, 2>& ends)
      : link(net::Fd{ends[0]}, poller), daemon(net::Fd{ends[1]}, of_daemon) {
    link.set_handler(of_task);
  }
};

}  // namespace

TEST_CASE("the task's socket to its daemon gets the send buffer that was asked for", "[transport]") {
  const std::array<int, 2> ends = LinkedPair::connected_sockets();
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
  LinkedPair pair;
  auto& [poller, of_task, of_daemon, link, daemon] = pair;
  link.set_self(Tid::task(1, 1));
  link.open();
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

TEST_CASE("what a handler that throws has left of a read comes when the task waits, and its answers leave",
          "[transport]") {
  const bool is_polled = GENERATE(true, false);
  LinkedPair pair;
  auto& [poller, of_task, of_daemon, link, daemon] = pair;
  link.open();
  OwnPacket first({}, 1), second({}, 2), last(pattern(20), 3), answer(pattern(30), 4);
  of_task.on_arrived = [&](const auto& packet) {
    if (packet.envelope.tag == 1) link.send(answer);
    if (packet.envelope.tag == 2) throw std::runtime_error("it does not fit");
  };
  for (OwnPacket* packet : {&first, &second, &last}) daemon.send(*packet);
  if (is_polled) {
    CHECK_THROWS_AS(link.poll(), std::runtime_error);
  } else {
    CHECK_THROWS_AS(poller.wait(deadline_length()), std::runtime_error);
  }
  REQUIRE(of_task.arrived.size() == 2);
  REQUIRE(poller.wait(std::chrono::nanoseconds(0)) == 1);
  REQUIRE(of_task.arrived.size() == 3);
  CHECK(of_task.arrived[2].payload == last.bytes);
  CHECK(daemon.receive() == net::PacketStream::Result::moved);
  REQUIRE(of_daemon.arrived.size() == 1);
  CHECK(of_daemon.arrived[0].payload == answer.bytes);
  CHECK(poller.wait(std::chrono::nanoseconds(0)) == 0);
}
