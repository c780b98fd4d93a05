#include "vm/daemon/host_port.hpp"

#include <sys/socket.h>

#include <array>
#include <catch2/catch.hpp>
#include <functional>
#include <map>

#include "recording_port.hpp"
#include "support/deadline.hpp"
#include "support/lossy_link.hpp"
#include "support/packet_recorder.hpp"
#include "vm/daemon/stream_port.hpp"
#include "vm/protocol/protocol.hpp"

using namespace nasvm;
using namespace nasvm::daemon;
using namespace nasvm::test;
using namespace std::chrono_literals;

namespace {

constexpr Tid far_task = Tid::task(2, 1), other_far_task = Tid::task(2, 2);

/// One daemon: its port to the other host, and the port of a task of its own.
struct Side final : ControlHandler {
  Side(int host, int peer)
      : router(host),
        link({.local_host = static_cast<std::uint16_t>(host),
              .peer_host = static_cast<std::uint16_t>(peer),
              .send_buffer_bytes = 256 * 1024,
              .receive_buffer_bytes = 256 * 1024}),
        port(host, peer, "host" + std::to_string(peer), link, sharing, ready, router, *this) {
    router.add_host(peer, port);
    router.add_task(Tid::task(host, 1), task_port);
    router.add_task(Tid::task(host, 2), other_port);
  }
  ~Side() override {  // what lies in the tasks' ports tells the host's when it goes
    task_port.frames.clear();
    other_port.frames.clear();
  }
  void control(const Envelope& envelope, std::span<const std::byte> text) override {
    controls.push_back({envelope, {text.begin(), text.end()}});
    if (on_control) on_control(protocol::parse(text));
  }

  std::function<void(const protocol::Message&)> on_control;
  WaiterQueue ready;
  Router router;
  link::Channel link;
  link::Sharing sharing{1};
  RecordingPort task_port{ready}, other_port{ready};
  std::vector<PacketRecorder::Arrived> controls;
  HostPort port;
};

/// Two daemons, and a path each way in virtual time.
struct Fixture {
  explicit Fixture(const LossyLink::Options& path = {}) : to_far(path), to_near(path) {}

  static void send_all(Side& from, LossyLink& path, link::TimePoint now) {
    std::array<std::byte, link::max_datagram_bytes> buffer;
    while (const auto bytes = from.link.next_datagram(buffer, now)) path.send(std::span(buffer).first(*bytes), now);
  }
  void step(Side& side, LossyLink& out, LossyLink& in) {
    while (const auto body = in.receive(now)) side.link.on_datagram(*body, now);
    side.ready.serve();
    side.port.pump();
    send_all(side, out, now);
    side.port.pump();
  }
  void run_for(link::Duration duration) {
    for (const auto end = now + duration; now < end; now += 1ms) {
      step(near, to_far, to_near);
      step(far, to_near, to_far);
    }
  }
  std::unique_ptr<Frame> frame(std::size_t bytes, int tag) {
    const auto payload = pattern(bytes, static_cast<unsigned>(tag));
    auto made = std::make_unique<Frame>();
    made->body = std::make_shared<std::byte[]>(bytes);
    std::ranges::copy(payload, made->body.get());
    made->payload = made->body.get();
    made->envelope.source = Tid::task(1, 1).value;
    made->envelope.destination = far_task.value;
    made->envelope.tag = tag;
    made->envelope.payload_bytes = static_cast<std::uint32_t>(bytes);
    return made;
  }

  link::TimePoint now{1000s};
  Side near{1, 2}, far{2, 1};
  LossyLink to_far, to_near;
};

}  // namespace

TEST_CASE("packets reach another host's task whole and in order, whatever the path loses", "[host port]") {
  LossyLink::Options path;
  path.loss = GENERATE(0.0, 0.1);
  CAPTURE(path.loss);
  Fixture fixture(path);
  const std::vector<std::size_t> sizes{1, 0, 70000, 0, 0, 5, 200000, 64};
  for (std::size_t i = 0; i < sizes.size(); ++i) fixture.near.port.send(fixture.frame(sizes[i], static_cast<int>(i)));
  fixture.run_for(20s);
  REQUIRE(fixture.far.task_port.frames.size() == sizes.size());
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const Frame& frame = *fixture.far.task_port.frames[i];
    CHECK(frame.envelope.tag == static_cast<int>(i));
    REQUIRE(frame.envelope.payload_bytes == sizes[i]);
    CHECK(std::ranges::equal(std::span(frame.payload, sizes[i]), pattern(sizes[i], static_cast<unsigned>(i))));
  }
  CHECK_FALSE(fixture.near.port.room_for(far_task).full());
}

TEST_CASE("daemons tell each other control messages", "[host port]") {
  Fixture fixture;
  const protocol::Group group{Tid::group(1, 1), {far_task}};
  fixture.near.port.send_control(Tid::daemon(1), Tid::daemon(2), group);
  fixture.run_for(1s);
  REQUIRE(fixture.far.controls.size() == 1);
  CHECK(protocol::parse(fixture.far.controls[0].payload) == protocol::Message(group));
}

TEST_CASE("a full port on the other host is felt here, and passes", "[host port]") {
  Fixture fixture;
  fixture.far.task_port.own_room().shut();
  int sent = 0;
  for (; sent < 100 && !fixture.near.port.room_for(far_task).full(); ++sent) {
    fixture.near.port.send(fixture.frame(64 * 1024, sent));
    fixture.run_for(50ms);
  }
  const std::size_t room = fixture.near.port.room_for(far_task).bytes();
  CHECK(sent <= static_cast<int>(room / (64 * 1024)) + 1);  // the room, and one packet over
  CHECK(fixture.far.task_port.frames.empty());
  fixture.far.task_port.own_room().open();
  for (std::size_t arrived = 0; arrived < static_cast<std::size_t>(sent);) {
    const std::size_t before = arrived;
    fixture.run_for(1s);
    while (!fixture.far.task_port.frames.empty()) {
      CHECK(fixture.far.task_port.frames[0]->envelope.tag == static_cast<int>(arrived++));
      fixture.far.task_port.drain_one();
    }
    REQUIRE(arrived > before);
  }
  fixture.run_for(1s);
  CHECK_FALSE(fixture.near.port.room_for(far_task).full());
}

namespace {

constexpr std::size_t packet_bytes = 64 * 1024;

/// A task of the near host that sends to one of the far host whenever its daemon takes a packet.
struct Sending final : Waiter {
  Sending(Side& side, int local, Tid to)
      : from(Tid::task(1, local)), destination(to), forwarder(side.router, side, Tid::daemon(1)) {}

  /// False: it is held.
  bool send(std::size_t bytes) {
    Envelope envelope;
    envelope.source = from.value;
    envelope.destination = destination.value;
    envelope.tag = sent;
    envelope.payload_bytes = static_cast<std::uint32_t>(bytes);
    const net::Landing landing = forwarder.begin(envelope, *this);
    held = landing.verdict == net::Landing::Verdict::hold;
    if (held) return false;
    if (landing.data != nullptr) std::fill_n(landing.data, bytes, std::byte{1});
    forwarder.end(envelope, landing);
    ++sent;
    return true;
  }
  void send_what_is_taken() {
    while (!held) (void)send(packet_bytes);
  }
  void room() override { (void)send(packet_bytes); }

  Tid from, destination;
  Forwarder forwarder;
  int sent = 0;
  bool held = false;
};

struct Senders {
  Senders(Side& side, int count) {
    for (int i = 0; i < count; ++i) tasks.push_back(std::make_unique<Sending>(side, 10 + i, far_task));
  }
  void send_what_is_taken() {
    for (const auto& task : tasks) task->send_what_is_taken();
  }
  std::vector<std::unique_ptr<Sending>> tasks;
};

std::size_t bytes_in(const RecordingPort& port) {
  std::size_t bytes = 0;
  for (const auto& frame : port.frames) bytes += frame->weight();
  return bytes;
}

/// How long a short packet to the far host's other task takes, and one from there back, one after the other.
link::Duration there_and_back(Fixture& fixture, Sending& sending) {
  const link::TimePoint start = fixture.now;
  const auto take_from = [&](RecordingPort& port) {
    while (port.frames.empty() && fixture.now < start + 2s) fixture.run_for(1ms);
    REQUIRE(port.frames.size() == 1);
    port.drain_one();
  };
  REQUIRE(sending.send(8));
  take_from(fixture.far.other_port);
  auto frame = fixture.frame(8, 0);
  frame->envelope.source = other_far_task.value;
  frame->envelope.destination = sending.from.value;
  fixture.far.port.send(std::move(frame));
  take_from(fixture.near.task_port);
  return fixture.now - start;
}

}  // namespace

TEST_CASE("a task that takes nothing stops those who send to it, and nobody else", "[host port]") {
  Fixture fixture;
  Senders senders(fixture.near, 6);
  Sending unconcerned(fixture.near, 1, other_far_task);
  senders.send_what_is_taken();
  fixture.run_for(5s);  // whatever can move has moved
  for (const auto& task : senders.tasks) CHECK(task->held);
  CHECK(bytes_in(fixture.far.task_port) <
        fixture.near.port.room_for(far_task).bytes() + 6 * (packet_bytes + sizeof(Envelope)));

  for (std::size_t i = 1; i <= 100; ++i) {
    REQUIRE(unconcerned.send(8));
    fixture.run_for(20ms);
    REQUIRE(fixture.far.other_port.frames.size() == i);
  }
}

TEST_CASE("six who send to a task that computes do not slow down others' short packets five times", "[host port]") {
  Fixture fixture;
  Sending unconcerned(fixture.near, 1, other_far_task);
  const link::Duration undisturbed = there_and_back(fixture, unconcerned);
  REQUIRE(undisturbed > 0ms);
  Senders senders(fixture.near, 6);
  senders.send_what_is_taken();
  fixture.run_for(3s);
  for (const auto& task : senders.tasks) CHECK(task->held);
  for (int i = 0; i < 100; ++i) CHECK(there_and_back(fixture, unconcerned) < 5 * undisturbed);
}

TEST_CASE("what a slow task takes away makes room again, however much has been sent", "[host port]") {
  Fixture fixture;
  Senders senders(fixture.near, 6);
  senders.send_what_is_taken();
  std::map<std::uint32_t, int> arrived;
  for (int i = 0; i < 300; ++i) {
    for (int wait = 0; wait < 100 && fixture.far.task_port.frames.empty(); ++wait) fixture.run_for(10ms);
    REQUIRE_FALSE(fixture.far.task_port.frames.empty());
    const Envelope envelope = fixture.far.task_port.frames[0]->envelope;
    CHECK(envelope.tag == arrived[envelope.source]++);
    fixture.far.task_port.drain_one();
    senders.send_what_is_taken();
    REQUIRE(bytes_in(fixture.far.task_port) <
            fixture.near.port.room_for(far_task).bytes() + 6 * (packet_bytes + sizeof(Envelope)));
  }
  CHECK(arrived.size() == 6);
}

TEST_CASE("few destinations have large rooms, many have small ones", "[host port]") {
  Fixture fixture;
  std::size_t all = 0;
  for (int i = 0; i < 100; ++i) {
    const std::size_t bytes = fixture.near.port.room_for(Tid::task(2, 100 + i)).bytes();
    CHECK(bytes >= Room::least_bytes);
    if (i < 3) CHECK(bytes >= 4 * Room::least_bytes);
    if (i >= 50) CHECK(bytes == Room::least_bytes);
    all += bytes;
  }
  CHECK(all < 200 * Room::least_bytes);
  // It is as large as it was, however many others there are now.
  CHECK(fixture.near.port.room_for(Tid::task(2, 100)).bytes() > Room::least_bytes);
}

TEST_CASE("packets for a task that is gone give their room back", "[host port]") {
  Fixture fixture;
  fixture.far.router.remove_task(far_task);
  Sending sending(fixture.near, 1, far_task);
  for (int i = 0; i < 100; ++i) {
    (void)sending.send(packet_bytes);
    fixture.run_for(10ms);
  }
  CHECK(sending.sent > 50);
}

TEST_CASE("what waits for a task that reads nothing any more gives its room back", "[host port]") {
  Fixture fixture;
  std::array<int, 2> ends{};
  REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends.data()) == 0);
  const net::Fd theirs(ends[1]);
  net::Poller poller;
  Side& far = fixture.far;
  StreamPort port{
      net::Fd(ends[0]), far_task, {poller, far.ready, far.router, far, Tid::daemon(2)}, [](StreamPort::End) {}};
  far.router.add_task(far_task, port);
  Sending sending(fixture.near, 1, far_task);
  sending.send_what_is_taken();
  fixture.run_for(2s);
  REQUIRE(sending.held);
  const std::size_t room = fixture.near.port.room_for(far_task).bytes();
  port.end_output();
  fixture.run_for(2s);
  CHECK_FALSE(sending.held);
  for (std::size_t sent = 0; sent < 2 * room; sent += packet_bytes) {
    REQUIRE(sending.send(packet_bytes));
    fixture.run_for(10ms);
  }
}

TEST_CASE("rooms of tasks that are gone leave others as large ones as before", "[host port]") {
  Fixture fixture;
  const std::size_t first = fixture.near.port.room_for(far_task).bytes();
  // Less than what is given back on the way; taken by the tasks, or still there when they go.
  const bool is_taken = GENERATE(true, false);
  for (int i = 0; i < 100; ++i) {
    const Tid task = Tid::task(2, 100 + i);
    RecordingPort port(fixture.far.ready);
    fixture.far.router.add_task(task, port);
    auto frame = fixture.frame(1000, i);
    frame->envelope.destination = task.value;
    fixture.near.port.send(std::move(frame));
    fixture.run_for(100ms);
    REQUIRE(port.frames.size() == 1);
    if (is_taken) port.drain_one();
    fixture.far.router.remove_task(task);
    fixture.far.port.settle();
    port.frames.clear();
    fixture.run_for(100ms);
  }
  CHECK(fixture.near.port.room_for(other_far_task).bytes() >= first / 2);
}

TEST_CASE("who waits for a host that is given up is let go, and what has come from it may be used", "[host port]") {
  Fixture fixture;
  fixture.near.other_port.own_room().shut();
  for (const int local : {1, 2}) {
    auto frame = fixture.frame(1000, 7);
    frame->envelope.source = far_task.value;
    frame->envelope.destination = Tid::task(1, local).value;
    fixture.far.port.send(std::move(frame));
  }
  fixture.run_for(1s);
  REQUIRE(fixture.near.task_port.frames.size() == 1);
  Sending sending(fixture.near, 1, far_task);
  sending.send_what_is_taken();
  const int before = sending.sent;
  fixture.near.router.remove_host(2);
  fixture.near.port.retire();
  fixture.near.ready.serve();
  CHECK_FALSE(sending.held);
  CHECK(sending.send(8));  // and it is dropped
  CHECK(sending.sent > before);
  fixture.near.task_port.drain_one();
  // What has waited for a room is not there any more when that is opened.
  fixture.near.other_port.own_room().open();
  CHECK(fixture.near.ready.empty());
  fixture.near.ready.serve();
  CHECK(fixture.near.other_port.frames.empty());
}

TEST_CASE("hosts are answered in the midst of other work, and what they say is heard after it", "[host port]") {
  struct Handler final : ControlHandler {
    void control(const Envelope&, std::span<const std::byte>) override { ++heard; }
    int heard = 0;
  };
  const Secret secret = make_secret();
  net::Poller poller;
  WaiterQueue ready;
  Router router(1);
  Handler handler;
  HostPorts near(1, "127.0.0.1", secret, poller);
  link::Links far("127.0.0.2", secret, 2, {});
  link::Channel& channel = far.add_peer(1, near.address());
  near.add(2, "far", far.address(), ready, router, handler);
  const std::string text = protocol::to_text(protocol::Group{Tid::group(2, 1), {}});
  const Envelope envelope = protocol::control_envelope(Tid::daemon(2), Tid::daemon(1), text.size());
  channel.write(std::as_bytes(std::span(&envelope, 1)));
  channel.write(std::as_bytes(std::span(text)));
  for (Deadline deadline; !channel.idle() && !deadline.passed();) {
    const auto now = link::TimePoint::clock::now();
    far.transmit(now);
    near.stay_in_touch();
    (void)far.receive(now);
  }
  CHECK(channel.idle());
  CHECK(handler.heard == 0);
  near.pump();
  CHECK(handler.heard == 1);
}

TEST_CASE("a short packet passes between those of streams that are under way", "[host port]") {
  Fixture fixture;
  // All arrive at one port, which shows their order.
  std::vector<std::unique_ptr<Sending>> streams;
  for (int i = 0; i < 6; ++i) {
    fixture.far.router.add_task(Tid::task(2, 10 + i), fixture.far.task_port);
    streams.push_back(std::make_unique<Sending>(fixture.near, 10 + i, Tid::task(2, 10 + i)));
  }
  std::size_t packets = 0;
  for (int round = 0; round < 6; ++round) {
    for (const auto& stream : streams) packets += stream->send(packet_bytes) ? 1 : 0;
  }
  REQUIRE(packets == 36);
  Sending unconcerned(fixture.near, 1, far_task);
  REQUIRE(unconcerned.send(8));
  fixture.run_for(1s);
  const auto& frames = fixture.far.task_port.frames;
  REQUIRE(frames.size() == packets + 1);
  const auto place =
      std::ranges::find(frames, far_task.value, [](const auto& frame) { return frame->envelope.destination; });
  // What has been written to the link already, and one packet of each stream.
  CHECK(place - frames.begin() <= static_cast<std::ptrdiff_t>(link::DatagramSocket::queue_bytes / packet_bytes) + 6);
}

TEST_CASE("a new membership of a group neither overtakes packets for the old one nor falls behind its own",
          "[host port]") {
  Fixture fixture;
  const Tid opener = Tid::task(1, 10), group = Tid::group(1, 10);
  Senders senders(fixture.near, 6);
  for (const auto& task : senders.tasks) REQUIRE(task->send(packet_bytes));
  const auto open_group = [&](Tid member) {
    fixture.near.router.open_group(group, std::vector{member}, 0);
    fixture.near.port.send_control(Tid::daemon(1), Tid::daemon(2), protocol::Group{group, {member}}, opener);
  };
  fixture.far.on_control = [&](const protocol::Message& message) {
    fixture.far.router.open_group(group, std::get<protocol::Group>(message).tids, 1);
  };
  Sending to_group(fixture.near, 10, group);
  for (const Tid member : {far_task, other_far_task, far_task}) {
    open_group(member);
    REQUIRE(to_group.send(1000));
  }
  fixture.run_for(1s);
  CHECK(fixture.far.other_port.frames.size() == 1);
  CHECK(fixture.far.task_port.frames.size() == 6 + 2);
}

TEST_CASE("what a host says in the name of others is dropped, and the next packet is not", "[host port]") {
  const Tid name = GENERATE(Tid::console(), Tid::task(2, 1), Tid::task(3, 1), Tid::daemon(2));
  CAPTURE(to_string(name));
  Fixture fixture;
  const Tid destination = GENERATE(Tid::daemon(2), far_task);
  for (int tag = 0; tag < 2; ++tag) {
    auto frame = fixture.frame(30, tag);
    frame->envelope.destination = destination.value;
    if (tag == 0) frame->envelope.source = name.value;
    fixture.near.port.send(std::move(frame));
  }
  fixture.run_for(1s);
  CHECK_FALSE(fixture.far.port.is_lost(fixture.now));
  const bool to_task = destination == far_task;
  CHECK(fixture.far.task_port.frames.size() == (to_task ? 1 : 0));
  CHECK(fixture.far.controls.size() == (to_task ? 0 : 1));
}

TEST_CASE("a host that answers is not lost; one that sends what is no packet is", "[host port]") {
  Fixture fixture;
  fixture.near.port.send(fixture.frame(100, 1));
  fixture.run_for(1s);
  CHECK_FALSE(fixture.far.port.is_lost(fixture.now));
  const auto noise = pattern(200);
  REQUIRE(fixture.near.link.write(noise) == noise.size());
  fixture.near.port.send(fixture.frame(100, 2));
  fixture.run_for(1s);
  CHECK(fixture.far.port.is_lost(fixture.now));
  CHECK(fixture.far.port.describe_loss("host2") == "host host1 sends host host2 what is not a packet");
  CHECK(fixture.far.task_port.frames.size() == 1);
}

TEST_CASE("a host that owes an answer for too long is lost", "[host port]") {
  LossyLink::Options path;
  path.loss = 1;
  Fixture fixture(path);
  fixture.near.port.send(fixture.frame(100, 1));
  fixture.run_for(30s);
  CHECK(fixture.near.port.is_lost(fixture.now));
  CHECK_THAT(fixture.near.port.describe_loss("host1"),
             Catch::StartsWith("host host2 has never answered host host1 by UDP: is UDP open between them"));
}

TEST_CASE("a host that falls silent does not answer any more", "[host port]") {
  Fixture fixture;
  fixture.near.port.send(fixture.frame(100, 1));
  fixture.run_for(1s);
  fixture.near.port.send(fixture.frame(100, 2));
  for (const auto end = fixture.now + 30s; fixture.now < end; fixture.now += 1ms) {
    fixture.step(fixture.near, fixture.to_far, fixture.to_near);
  }
  CHECK(fixture.near.port.is_lost(fixture.now));
  CHECK(fixture.near.port.describe_loss("host1") == "host host2 does not answer host host1 any more");
}
