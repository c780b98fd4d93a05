#include "vm/daemon/stream_port.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>
#include <memory>
#include <optional>

#include "recording_port.hpp"
#include "support/packet_recorder.hpp"
#include "vm/protocol/protocol.hpp"

using namespace nasvm;
using namespace nasvm::daemon;
using namespace nasvm::test;
using End = StreamPort::End;

namespace {

constexpr Tid self = Tid::daemon(1), task = Tid::task(1, 1), other = Tid::task(1, 2);

struct Sockets {
  Sockets() {
    int fds[2];
    REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fds) == 0);
    ours.reset(fds[0]);
    theirs.reset(fds[1]);
  }
  net::Fd ours, theirs;
};

/// A daemon's port to a task, with the task's own end of the socket, and the port to another task.
struct Fixture : ControlHandler {
  Fixture() {
    router.add_task(task, port);
    router.add_task(other, other_port);
  }

  void control(const Envelope& envelope, std::span<const std::byte> text) override {
    controls.push_back({envelope, {text.begin(), text.end()}});
    while_answering();
  }
  /// Lets everything move that can.
  void settle() {
    for (int i = 0; i < 100; ++i) {
      (void)remote.flush();
      (void)poller.wait(std::chrono::nanoseconds(0));
      ready.serve();
      (void)remote.receive();
    }
  }
  OwnPacket& packet_for(Tid destination, std::vector<std::byte> payload) {
    packets.push_back(std::make_unique<OwnPacket>(std::move(payload)));
    packets.back()->envelope.source = task.value;
    packets.back()->envelope.destination = destination.value;
    return *packets.back();
  }
  std::unique_ptr<Frame> frame_of(std::size_t bytes) {
    auto frame = std::make_unique<Frame>();
    frame->body = std::make_shared<std::byte[]>(bytes);
    frame->payload = frame->body.get();
    frame->envelope.payload_bytes = static_cast<std::uint32_t>(bytes);
    return frame;
  }

  net::Poller poller;
  WaiterQueue ready;
  Router router{1};
  std::vector<PacketRecorder::Arrived> controls;
  std::function<void()> while_answering = [] {};
  std::vector<End> ends;
  std::vector<std::unique_ptr<OwnPacket>> packets;
  RecordingPort other_port{ready};
  Sockets sockets;
  StreamPort port{
      std::move(sockets.ours), task, {poller, ready, router, *this, self}, [this](End end) { ends.push_back(end); }};
  PacketRecorder recorder;
  net::PacketStream remote{std::move(sockets.theirs), recorder};  ///< the task's side
};

}  // namespace

TEST_CASE("what a task sends goes to the daemon itself or out by another port", "[stream port]") {
  Fixture fixture;
  fixture.remote.send(fixture.packet_for(self, pattern(30)));
  fixture.remote.send(fixture.packet_for(other, pattern(70000)));
  fixture.settle();
  REQUIRE(fixture.controls.size() == 1);
  CHECK(fixture.controls[0].payload == pattern(30));
  REQUIRE(fixture.other_port.frames.size() == 1);
  CHECK(fixture.other_port.frames[0]->envelope.payload_bytes == 70000);
}

TEST_CASE("frames and control messages reach the task in order, however many wait", "[stream port]") {
  Fixture fixture;
  for (int i = 0; i < 100; ++i) {
    fixture.port.send(fixture.frame_of(64 * 1024));
    fixture.port.send_control(self, task, protocol::Ping{});
  }
  CHECK(fixture.port.own_room().full());
  fixture.settle();
  REQUIRE(fixture.recorder.arrived.size() == 200);
  for (std::size_t i = 0; i < 200; i += 2) {
    CHECK(fixture.recorder.arrived[i].envelope.payload_bytes == 64 * 1024);
    CHECK(protocol::parse(fixture.recorder.arrived[i + 1].payload) == protocol::Message(protocol::Ping{}));
  }
  CHECK_FALSE(fixture.port.own_room().full());
  CHECK_FALSE(fixture.port.wants_to_send());
}

TEST_CASE("what is pushed out leaves while a control message is being carried out, answers after it",
          "[stream port]") {
  Fixture fixture;
  std::size_t arrived = 0;
  fixture.while_answering = [&] {
    fixture.port.send_control(self, task, protocol::Pong{});
    (void)fixture.remote.receive();
    CHECK(fixture.recorder.arrived.empty());
    fixture.port.push_out();
    (void)fixture.remote.receive();
    arrived = fixture.recorder.arrived.size();
  };
  fixture.remote.send(fixture.packet_for(self, pattern(30)));
  fixture.settle();
  CHECK(arrived == 1);
}

TEST_CASE("a task is not read while the way out is full, and goes on afterwards", "[stream port]") {
  Fixture fixture;
  for (int i = 0; i < 100; ++i) fixture.remote.send(fixture.packet_for(other, pattern(64 * 1024)));
  fixture.settle();
  const std::size_t taken = fixture.other_port.frames.size();
  CHECK(taken < 20);
  CHECK(fixture.remote.wants_to_send());  // the task feels it
  std::size_t total = 0;
  for (int rounds = 0; rounds < 200 && total < 100; ++rounds) {
    while (!fixture.other_port.frames.empty()) {
      fixture.other_port.drain_one();
      ++total;
    }
    fixture.settle();
  }
  CHECK(total == 100);
}

TEST_CASE("what a task that has ended has left is read though the way out is full", "[stream port]") {
  Fixture fixture;
  for (int i = 0; i < 100; ++i) fixture.remote.send(fixture.packet_for(other, pattern(64 * 1024)));
  fixture.settle();
  const std::size_t taken = fixture.other_port.frames.size();
  REQUIRE(fixture.remote.wants_to_send());
  REQUIRE(fixture.ends.empty());
  const bool hung_up = GENERATE(false, true);
  CAPTURE(hung_up);
  // As the system does when the process ends, which the daemon may hear of before or after that.
  if (hung_up) {
    ::shutdown(fixture.remote.fd(), SHUT_RDWR);
    (void)fixture.poller.wait(std::chrono::nanoseconds(0));
    CHECK(fixture.ends.empty());
  }
  fixture.port.expect_no_more();
  for (int i = 0; i < 100; ++i) (void)fixture.poller.wait(std::chrono::nanoseconds(0));
  CHECK(fixture.other_port.frames.size() > taken);
  CHECK(fixture.ends == std::vector<End>{End::closed});
}

TEST_CASE("the end of a task's connection is told once, after everything it sent", "[stream port]") {
  const bool held = GENERATE(false, true);
  CAPTURE(held);
  Fixture fixture;
  {
    const int fd = fixture.remote.fd();
    if (held) fixture.other_port.own_room().shut();
    for (int i = 0; i < 3; ++i) fixture.remote.send(fixture.packet_for(other, pattern(100)));
    ::shutdown(fd, SHUT_RDWR);
  }
  for (int i = 0; i < 10; ++i) (void)fixture.poller.wait(std::chrono::nanoseconds(0));
  if (held) {
    CHECK(fixture.ends.empty());
    CHECK(fixture.port.is_open());
    fixture.other_port.own_room().open();
    fixture.ready.serve();
    for (int i = 0; i < 10; ++i) (void)fixture.poller.wait(std::chrono::nanoseconds(0));
  }
  CHECK(fixture.other_port.frames.size() == 3);
  CHECK(fixture.ends == std::vector<End>{End::closed});
  CHECK_FALSE(fixture.port.is_open());
  fixture.port.send(fixture.frame_of(10));  // to nobody
  CHECK_FALSE(fixture.port.wants_to_send());
}

TEST_CASE("for a task that reads nothing any more nothing is kept, and nobody waits", "[stream port]") {
  const bool closed = GENERATE(false, true);
  CAPTURE(closed);
  CountingWaiter waiter;
  Fixture fixture;
  std::vector<std::weak_ptr<std::byte[]>> bodies;
  while (!fixture.port.own_room().full()) {
    auto frame = fixture.frame_of(64 * 1024);
    bodies.emplace_back(frame->body);
    fixture.port.send(std::move(frame));
  }
  fixture.port.own_room().wait(waiter);
  if (closed) {  // while its process lives on
    ::shutdown(fixture.remote.fd(), SHUT_RDWR);
    (void)fixture.poller.wait(std::chrono::nanoseconds(0));
    CHECK(fixture.ends == std::vector<End>{End::closed});
  } else {
    fixture.port.end_output();
  }
  CHECK(std::ranges::all_of(bodies, [](const auto& body) { return body.expired(); }));
  fixture.ready.serve();
  CHECK(waiter.times == 1);
  CHECK_FALSE(fixture.router.knows(task));
  fixture.port.send(fixture.frame_of(10));
  CHECK_FALSE(fixture.port.wants_to_send());
  if (closed) return;
  fixture.remote.send(fixture.packet_for(self, pattern(30)));
  fixture.settle();
  CHECK(fixture.controls.size() == 1);  // it is still heard
}

TEST_CASE("who waits for room of a task that has closed is let go though its last packet is held", "[stream port]") {
  CountingWaiter waiter;
  Fixture fixture;
  fixture.other_port.own_room().shut();
  fixture.remote.send(fixture.packet_for(other, pattern(100)));
  fixture.settle();
  while (!fixture.port.own_room().full()) fixture.port.send(fixture.frame_of(64 * 1024));
  fixture.port.own_room().wait(waiter);
  ::shutdown(fixture.remote.fd(), SHUT_RDWR);
  (void)fixture.poller.wait(std::chrono::nanoseconds(0));
  fixture.ready.serve();
  CHECK(waiter.times == 1);
  CHECK(fixture.ends.empty());
  fixture.other_port.own_room().open();
  fixture.ready.serve();
  CHECK(fixture.other_port.frames.size() == 1);
  CHECK(fixture.ends == std::vector<End>{End::closed});
}

TEST_CASE("what comes for a task while that says it is the last it does is dropped, too", "[stream port]") {
  Fixture fixture;
  fixture.while_answering = [&] {
    fixture.port.send(fixture.frame_of(10));
    fixture.port.end_output();
    fixture.port.send(fixture.frame_of(10));
  };
  fixture.remote.send(fixture.packet_for(self, pattern(30)));
  fixture.remote.send(fixture.packet_for(other, pattern(40)));
  fixture.settle();
  CHECK(fixture.recorder.arrived.empty());
  CHECK(fixture.other_port.frames.size() == 1);
  CHECK_FALSE(fixture.port.wants_to_send());
}

TEST_CASE("what a task that has closed has sent to its group arrives, though it was held for want of room",
          "[stream port]") {
  const bool ends_first = GENERATE(false, true);
  Fixture fixture;
  const Tid group = Tid::group(1, 1);
  (void)fixture.router.open_group(group, std::vector<Tid>{other}, 0);
  fixture.other_port.own_room().shut();
  fixture.remote.send(fixture.packet_for(group, pattern(100)));
  fixture.remote.send(fixture.packet_for(group, pattern(200)));
  fixture.remote.send(fixture.packet_for(other, pattern(300)));
  fixture.settle();
  CHECK(fixture.other_port.frames.empty());
  ::shutdown(fixture.remote.fd(), SHUT_RDWR);
  (void)fixture.poller.wait(std::chrono::nanoseconds(0));
  if (ends_first) fixture.port.expect_no_more();
  fixture.other_port.own_room().open();
  fixture.ready.serve();
  CHECK(fixture.other_port.frames.size() == 3);
  CHECK(fixture.ends == std::vector<End>{End::closed});
}

TEST_CASE("a task that sends what is no packet is not heard any more", "[stream port]") {
  Fixture fixture;
  const auto noise = pattern(200);
  REQUIRE(::send(fixture.remote.fd(), noise.data(), noise.size(), 0) == 200);
  fixture.settle();
  CHECK(fixture.ends == std::vector<End>{End::garbage});
  CHECK_FALSE(fixture.port.is_open());
}

TEST_CASE("a task that speaks in the name of another, or of the console, is not heard any more", "[stream port]") {
  const Tid name = GENERATE(other, Tid::console(), self, Tid::daemon(2));
  CAPTURE(to_string(name));
  Fixture fixture;
  OwnPacket& packet = fixture.packet_for(self, pattern(30));
  packet.envelope.source = name.value;
  fixture.remote.send(packet);
  fixture.settle();
  CHECK(fixture.controls.empty());
  CHECK(fixture.ends == std::vector<End>{End::garbage});
}

TEST_CASE("a packet longer than the protocol has ends the task's connection, not the daemon", "[stream port]") {
  Fixture fixture;
  Envelope envelope;
  envelope.source = task.value;
  envelope.destination = other.value;
  envelope.payload_bytes = protocol::max_control_bytes + 1;
  REQUIRE(::send(fixture.remote.fd(), &envelope, sizeof envelope, 0) == sizeof envelope);
  fixture.settle();
  CHECK(fixture.ends == std::vector<End>{End::garbage});
}
