#include "vm/daemon/host_port.hpp"

#include <catch2/catch.hpp>

#include "recording_port.hpp"
#include "support/lossy_link.hpp"
#include "support/packet_recorder.hpp"
#include "vm/protocol/protocol.hpp"

using namespace nasvm;
using namespace nasvm::daemon;
using namespace nasvm::test;
using namespace std::chrono_literals;

namespace {

constexpr Tid far_task = Tid::task(2, 1);

/// One daemon: its port to the other host, and the port of a task of its own.
struct Side final : ControlHandler {
  Side(int host, int peer)
      : router(host),
        link({.local_host = static_cast<std::uint16_t>(host),
              .peer_host = static_cast<std::uint16_t>(peer),
              .send_buffer_bytes = 256 * 1024,
              .receive_buffer_bytes = 256 * 1024}),
        port(host, peer, "host" + std::to_string(peer), link, ready, router, *this) {
    router.add_host(peer, port);
    router.add_task(Tid::task(host, 1), task_port);
  }
  void control(const Envelope& envelope, std::span<const std::byte> text) override {
    controls.push_back({envelope, {text.begin(), text.end()}});
  }

  WaiterQueue ready;
  Router router;
  link::Channel link;
  RecordingPort task_port{ready};
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
  CHECK_FALSE(fixture.near.port.full());
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
  fixture.far.task_port.shut();
  int sent = 0;
  for (; sent < 100 && !fixture.near.port.full(); ++sent) {
    fixture.near.port.send(fixture.frame(64 * 1024, sent));
    fixture.run_for(50ms);
  }
  CHECK(sent < 40);  // both buffers of the link and the port's own queue
  CHECK(fixture.far.task_port.frames.empty());
  fixture.far.task_port.open();
  for (std::size_t arrived = 0; arrived < static_cast<std::size_t>(sent);) {
    const std::size_t before = arrived;
    fixture.run_for(1s);
    while (!fixture.far.task_port.frames.empty()) {
      CHECK(fixture.far.task_port.frames[0]->envelope.tag == static_cast<int>(arrived++));
      fixture.far.task_port.drain_one();
    }
    REQUIRE(arrived > before);
  }
  CHECK_FALSE(fixture.near.port.full());
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
  CHECK(fixture.near.port.describe_loss("host1") == "host host2 does not answer host host1 any more");
}
