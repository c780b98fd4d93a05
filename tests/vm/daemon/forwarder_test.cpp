#include "vm/daemon/forwarder.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "recording_port.hpp"
#include "support/packet_recorder.hpp"
#include "vm/protocol/protocol.hpp"
#include "vm/status.hpp"

using namespace nasvm;
using namespace nasvm::daemon;
using namespace nasvm::test;
using Verdict = net::Landing::Verdict;

namespace {

constexpr Tid one = Tid::task(1, 1), two = Tid::task(1, 2), far = Tid::task(2, 1), group = Tid::group(1, 9);

struct Fixture : ControlHandler {
  Fixture() {
    router.add_host(2, host);
    router.add_task(one, port1);
    router.add_task(two, port2);
  }

  void control(const Envelope& envelope, std::span<const std::byte> text) override {
    controls.push_back({envelope, {text.begin(), text.end()}});
  }

  static Envelope envelope_for(Tid destination, std::size_t bytes) {
    Envelope envelope;
    envelope.source = far.value;
    envelope.destination = destination.value;
    envelope.tag = 77;
    envelope.payload_bytes = static_cast<std::uint32_t>(bytes);
    return envelope;
  }

  /// A packet comes in; says whether it was taken at once.
  Verdict forward(Tid destination, const std::vector<std::byte>& payload) {
    const Envelope envelope = envelope_for(destination, payload.size());
    const net::Landing landing = forwarder.begin(envelope, input);
    if (landing.verdict == Verdict::hold) return landing.verdict;
    if (landing.data != nullptr) std::ranges::copy(payload, landing.data);
    forwarder.end(envelope, landing);
    return landing.verdict;
  }

  WaiterQueue ready;
  RecordingPort host{ready}, port1{ready}, port2{ready};
  Router router{1};
  std::vector<PacketRecorder::Arrived> controls;
  CountingWaiter input;
  Forwarder forwarder{router, *this, Tid::daemon(1)};
};

bool carries(const Frame& frame, Tid destination, const std::vector<std::byte>& payload) {
  return frame.envelope.destination == destination.value && frame.envelope.tag == 77 &&
         frame.envelope.payload_bytes == payload.size() && std::equal(payload.begin(), payload.end(), frame.payload);
}

}  // namespace

TEST_CASE("a packet is stored whole and goes out unchanged", "[forwarder]") {
  const std::size_t bytes = GENERATE(0U, 1U, 65536U);
  Fixture fixture;
  CHECK(fixture.forward(two, pattern(bytes)) == Verdict::take);
  REQUIRE(fixture.port2.frames.size() == 1);
  CHECK(carries(*fixture.port2.frames[0], two, pattern(bytes)));
  CHECK(fixture.port2.frames[0]->envelope.source == far.value);
  CHECK(fixture.port1.frames.empty());
  CHECK(fixture.controls.empty());
}

TEST_CASE("packets of one input keep their order and their own memory", "[forwarder]") {
  Fixture fixture;
  for (unsigned i = 0; i < 5; ++i) fixture.forward(one, pattern(100, i));
  REQUIRE(fixture.port1.frames.size() == 5);
  for (unsigned i = 0; i < 5; ++i) CHECK(carries(*fixture.port1.frames[i], one, pattern(100, i)));
}

TEST_CASE("a packet for the daemon itself goes to its handler", "[forwarder]") {
  Fixture fixture;
  CHECK(fixture.forward(Tid::daemon(1), pattern(30)) == Verdict::take);
  REQUIRE(fixture.controls.size() == 1);
  CHECK(fixture.controls[0].payload == pattern(30));
  CHECK(fixture.controls[0].envelope.source == far.value);
}

TEST_CASE("a packet for nobody is dropped, and the next one is not", "[forwarder]") {
  Fixture fixture;
  CHECK(fixture.forward(Tid::task(1, 99), pattern(100)) == Verdict::take);
  CHECK(fixture.forward(one, pattern(100)) == Verdict::take);
  CHECK(fixture.port1.frames.size() == 1);
  CHECK(fixture.port2.frames.empty());
}

TEST_CASE("a packet is dropped when its task goes while it is arriving", "[forwarder]") {
  Fixture fixture;
  const Envelope envelope = Fixture::envelope_for(one, 10);
  const net::Landing landing = fixture.forwarder.begin(envelope, fixture.input);
  REQUIRE(landing.data != nullptr);
  fixture.router.remove_task(one);
  fixture.forwarder.end(envelope, landing);
  CHECK(fixture.port1.frames.empty());
}

TEST_CASE("an input is held when the way out is full, and goes on when it has room again", "[forwarder]") {
  Fixture fixture;
  const auto payload = pattern(64 * 1024);
  int taken = 0;
  while (fixture.forward(one, payload) == Verdict::take) ++taken;
  CHECK(static_cast<std::size_t>(taken) * payload.size() <= Room::least_bytes + payload.size());
  CHECK(taken >= 2);
  CHECK(fixture.forward(two, payload) == Verdict::take);  // that one has room

  fixture.port1.drain_one();
  fixture.ready.serve();
  CHECK(fixture.input.times == 0);  // not for every single packet
  while (!fixture.port1.frames.empty()) fixture.port1.drain_one();
  fixture.ready.serve();
  CHECK(fixture.input.times == 1);
  CHECK(fixture.forward(one, payload) == Verdict::take);
}

TEST_CASE("an input that asks again and again while it is held is called once", "[forwarder]") {
  Fixture fixture;
  const auto payload = pattern(64 * 1024);
  while (fixture.forward(one, payload) == Verdict::take) continue;
  for (int i = 0; i < 5; ++i) CHECK(fixture.forward(one, payload) == Verdict::hold);
  while (!fixture.port1.frames.empty()) fixture.port1.drain_one();
  fixture.ready.serve();
  CHECK(fixture.input.times == 1);
}

TEST_CASE("what is for a shut port waits until it is opened", "[forwarder]") {
  Fixture fixture;
  fixture.port1.own_room().shut();
  CHECK(fixture.forward(one, pattern(1)) == Verdict::hold);
  CHECK(fixture.forward(two, pattern(1)) == Verdict::take);
  fixture.ready.serve();
  CHECK(fixture.input.times == 0);
  fixture.port1.own_room().open();
  fixture.ready.serve();
  CHECK(fixture.input.times == 1);
  CHECK(fixture.forward(one, pattern(1)) == Verdict::take);
}

TEST_CASE("a packet for a group goes out to every member, its payload stored once", "[forwarder]") {
  Fixture fixture;
  fixture.router.open_group(group, std::vector{one, two, far, Tid::task(2, 2)}, 0);
  CHECK(fixture.forward(group, pattern(1000)) == Verdict::take);
  REQUIRE(fixture.port1.frames.size() == 1);
  REQUIRE(fixture.port2.frames.size() == 1);
  REQUIRE(fixture.host.frames.size() == 1);
  CHECK(carries(*fixture.port1.frames[0], one, pattern(1000)));
  CHECK(carries(*fixture.port2.frames[0], two, pattern(1000)));
  CHECK(carries(*fixture.host.frames[0], group, pattern(1000)));
  CHECK(fixture.port1.frames[0]->payload == fixture.port2.frames[0]->payload);
  const Frame& last = *fixture.host.frames[0];
  fixture.port1.drain_one();
  fixture.port2.drain_one();
  CHECK(carries(last, group, pattern(1000)));  // whoever is last still has it
}

TEST_CASE("a group's packet waits until all of its ways out have room", "[forwarder]") {
  Fixture fixture;
  fixture.router.open_group(group, std::vector{one, two}, 0);
  const auto payload = pattern(64 * 1024);
  while (fixture.forward(two, payload) == Verdict::take) continue;
  CHECK(fixture.forward(group, payload) == Verdict::hold);
  CHECK(fixture.port1.frames.empty());
  while (!fixture.port2.frames.empty()) fixture.port2.drain_one();
  CHECK(fixture.forward(group, payload) == Verdict::take);
  CHECK(fixture.port1.frames.size() == 1);
  CHECK(fixture.port2.frames.size() == 1);
}

TEST_CASE("a packet longer than the protocol has is refused before memory is taken for it", "[forwarder]") {
  Fixture fixture;
  const Envelope envelope = Fixture::envelope_for(one, protocol::max_control_bytes + 1);
  CHECK_THROWS_AS(fixture.forwarder.begin(envelope, fixture.input), RunError);
}
