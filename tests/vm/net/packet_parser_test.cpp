#include "vm/net/packet_parser.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <stdexcept>

#include "support/packet_recorder.hpp"

using namespace nasvm;
using namespace nasvm::net;
using namespace nasvm::test;

namespace {

std::vector<std::byte> on_the_wire(const std::vector<std::size_t>& payload_sizes) {
  std::vector<std::byte> bytes;
  for (std::size_t i = 0; i < payload_sizes.size(); ++i) {
    const OwnPacket packet(pattern(payload_sizes[i], static_cast<unsigned>(i)), static_cast<int>(i));
    const auto envelope = std::as_bytes(std::span(&packet.envelope, 1));
    bytes.insert(bytes.end(), envelope.begin(), envelope.end());
    bytes.insert(bytes.end(), packet.bytes.begin(), packet.bytes.end());
  }
  return bytes;
}

/// A parser, and what it has been given so far.
struct Fixture {
  /// All of `bytes` that it takes; returns how many that are.
  std::size_t take(std::span<const std::byte> bytes) {
    std::span<const std::byte> rest = bytes;
    good = parser.take(rest);
    return bytes.size() - rest.size();
  }

  void check_arrived(const std::vector<std::size_t>& payload_sizes) const {
    REQUIRE(recorder.arrived.size() == payload_sizes.size());
    for (std::size_t i = 0; i < payload_sizes.size(); ++i) {
      CHECK(recorder.arrived[i].envelope.tag == static_cast<int>(i));
      CHECK(recorder.arrived[i].payload == pattern(payload_sizes[i], static_cast<unsigned>(i)));
    }
  }

  PacketRecorder recorder;
  PacketParser parser{recorder};
  bool good = true;
};

const std::vector<std::size_t> sizes{3, 0, 100, 0, 0, 1};

}  // namespace

TEST_CASE("packets are found wherever the bytes are cut", "[packet parser]") {
  const auto bytes = on_the_wire(sizes);
  const std::size_t piece = GENERATE(1U, 2U, 55U, 56U, 57U, 59U, 113U, 100000U);
  CAPTURE(piece);
  Fixture fixture;
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    const auto part = std::span(bytes).subspan(at, std::min(piece, bytes.size() - at));
    REQUIRE(fixture.take(part) == part.size());
    REQUIRE(fixture.good);
  }
  fixture.check_arrived(sizes);
}

TEST_CASE("an empty payload needs no further byte", "[packet parser]") {
  Fixture fixture;
  (void)fixture.take(on_the_wire({0}));
  CHECK(fixture.recorder.arrived.size() == 1);
}

TEST_CASE("what is not a packet is refused as soon as its envelope is whole", "[packet parser]") {
  auto bytes = on_the_wire({3, 3});
  bytes[sizeof(Envelope) + 3] = std::byte{0x11};
  Fixture fixture;
  (void)fixture.take(std::span(bytes).first(2 * sizeof(Envelope) + 2));
  CHECK(fixture.good);
  CHECK(fixture.recorder.arrived.size() == 1);
  (void)fixture.take(std::span(bytes).subspan(2 * sizeof(Envelope) + 2));
  CHECK_FALSE(fixture.good);
  CHECK(fixture.recorder.arrived.size() == 1);
}

TEST_CASE("a payload on hold keeps all that follows, until its handler has room", "[packet parser]") {
  const std::size_t first_payload = GENERATE(0U, 3U);
  const auto bytes = on_the_wire({first_payload, 5});
  Fixture fixture;
  fixture.recorder.holds = 2;
  std::size_t taken = fixture.take(bytes);
  CHECK(taken == sizeof(Envelope));
  CHECK(fixture.parser.on_hold());
  CHECK(fixture.take(std::span(bytes).subspan(taken)) == 0);

  fixture.parser.resume();
  CHECK(fixture.parser.on_hold());
  CHECK(fixture.recorder.begun == 2);
  fixture.parser.resume();
  CHECK_FALSE(fixture.parser.on_hold());
  taken += fixture.take(std::span(bytes).subspan(taken));
  CHECK(taken == bytes.size());
  fixture.check_arrived({first_payload, 5});
}

TEST_CASE("an empty payload that was on hold needs no further byte", "[packet parser]") {
  Fixture fixture;
  fixture.recorder.holds = 1;
  (void)fixture.take(on_the_wire({0}));
  fixture.parser.resume();
  (void)fixture.take({});
  CHECK(fixture.recorder.arrived.size() == 1);
}

TEST_CASE("asking again when nothing is on hold changes nothing", "[packet parser]") {
  const auto bytes = on_the_wire({8});
  Fixture fixture;
  fixture.parser.resume();
  (void)fixture.take(std::span(bytes).first(60));
  fixture.parser.resume();
  (void)fixture.take(std::span(bytes).subspan(60));
  fixture.check_arrived({8});
  CHECK(fixture.recorder.begun == 1);
}

TEST_CASE("the rest of a payload of a task that has ended is thrown away", "[packet parser]") {
  const auto bytes = on_the_wire({100, 2});
  Fixture fixture;
  const auto arriving = std::span(bytes).first(sizeof(Envelope) + 10);
  (void)fixture.take(arriving);
  fixture.parser.forget(Tid::task(9, 9));  // somebody else
  REQUIRE(fixture.parser.room().size() == 90);
  fixture.parser.forget(Tid{});  // the packets name nobody
  CHECK(fixture.parser.room().empty());
  (void)fixture.take(std::span(bytes).subspan(arriving.size()));
  REQUIRE(fixture.recorder.arrived.size() == 2);
  CHECK(fixture.recorder.arrived[1].payload.size() == 2);
}

TEST_CASE("the rest of a payload may land in place", "[packet parser]") {
  const auto bytes = on_the_wire({100, 2});
  Fixture fixture;
  CHECK(fixture.parser.room().empty());
  std::size_t at = fixture.take(std::span(bytes).first(sizeof(Envelope) + 10));
  for (const std::size_t piece : {30U, 60U}) {
    const auto room = fixture.parser.room();
    REQUIRE(room.size() == sizeof(Envelope) + 100 - at);
    std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), piece, room.begin());
    fixture.parser.landed(piece);
    (void)fixture.take({});
    at += piece;
  }
  CHECK(fixture.parser.room().empty());
  CHECK(fixture.recorder.arrived.size() == 1);
  (void)fixture.take(std::span(bytes).subspan(at));
  fixture.check_arrived({100, 2});
}

TEST_CASE("a payload that nobody wants is skipped", "[packet parser]") {
  const auto bytes = on_the_wire({100, 2});
  Fixture fixture;
  fixture.recorder.discard = true;
  (void)fixture.take(std::span(bytes).first(sizeof(Envelope) + 10));
  CHECK(fixture.parser.room().empty());
  (void)fixture.take(std::span(bytes).subspan(sizeof(Envelope) + 10));
  CHECK(fixture.recorder.discarded == 2);
  CHECK(fixture.recorder.arrived.empty());
}

TEST_CASE("what a handler throws goes through, and what was taken is not given again", "[packet parser]") {
  const auto bytes = on_the_wire({3, 4});
  Fixture fixture;
  fixture.recorder.on_arrived = [](const PacketRecorder::Arrived& packet) {
    if (packet.envelope.tag == 0) throw std::runtime_error("not this one");
  };
  std::span<const std::byte> rest = bytes;
  CHECK_THROWS_WITH(fixture.parser.take(rest), "not this one");
  CHECK(rest.size() == sizeof(Envelope) + 4);
  CHECK(fixture.parser.take(rest));
  fixture.check_arrived({3, 4});
}

TEST_CASE("a payload is skipped whose handler throws at its beginning", "[packet parser]") {
  const std::size_t payload = GENERATE(0U, 3U);
  const bool was_on_hold = GENERATE(false, true);
  const auto bytes = on_the_wire({payload, 4});
  Fixture fixture;
  std::span<const std::byte> rest = bytes;
  if (was_on_hold) {
    fixture.recorder.holds = 1;
    REQUIRE(fixture.parser.take(rest));
    REQUIRE(fixture.parser.on_hold());
  }
  fixture.recorder.on_begun = [](const Envelope& envelope) {
    if (envelope.tag == 0) throw std::runtime_error("not this one");
  };
  if (was_on_hold) CHECK_THROWS_WITH(fixture.parser.resume(), "not this one");
  else CHECK_THROWS_WITH(fixture.parser.take(rest), "not this one");
  CHECK_FALSE(fixture.parser.on_hold());
  CHECK(fixture.parser.take(rest));
  CHECK(rest.empty());
  REQUIRE(fixture.recorder.arrived.size() == 1);
  CHECK(fixture.recorder.arrived[0].payload == pattern(4, 1));
}

TEST_CASE("a parser says which packet has arrived in part", "[packet parser]") {
  const auto bytes = on_the_wire({3, 0, 100});
  const std::span<const std::byte> all = bytes;
  Fixture fixture;
  fixture.recorder.discard = true;  // they have its address for a token
  CHECK(fixture.parser.arriving() == nullptr);
  fixture.take(all.first(sizeof(Envelope) + 2));
  CHECK(fixture.parser.arriving() == &fixture.recorder);
  fixture.take(all.subspan(sizeof(Envelope) + 2, 1 + sizeof(Envelope)));
  CHECK(fixture.parser.arriving() == nullptr);
  fixture.take(all.subspan(2 * sizeof(Envelope) + 3, sizeof(Envelope) + 99));
  CHECK(fixture.parser.arriving() == &fixture.recorder);
  fixture.take(all.last(1));
  CHECK(fixture.parser.arriving() == nullptr);
}

namespace {

/// Its room may be wanted back while a payload lands there.
struct Lender final : PacketHandler {
  Landing begin_packet(const Envelope&) override {
    return {Landing::Verdict::take, room.data(), nullptr, &has_taken_back};
  }
  void end_packet(const Envelope&, const Landing& landing) override {
    ++ended;
    CHECK(landing.place() == nullptr);
  }
  void packet_sent(Packet&) override {}

  std::vector<std::byte> room = std::vector<std::byte>(100);
  bool has_taken_back = false;
  int ended = 0;
};

}  // namespace

TEST_CASE("the rest of a payload that is unwanted meanwhile is thrown away, its end reported", "[packet parser]") {
  const auto bytes = on_the_wire({100});
  Lender handler;
  PacketParser parser(handler);
  std::span<const std::byte> first = std::span(bytes).first(sizeof(Envelope) + 10);
  REQUIRE(parser.take(first));
  REQUIRE(parser.room().size() == 90);
  handler.has_taken_back = true;
  CHECK(parser.room().empty());
  const auto before = handler.room;
  std::span<const std::byte> rest = std::span(bytes).subspan(sizeof(Envelope) + 10);
  CHECK(parser.take(rest));
  CHECK(handler.ended == 1);
  CHECK(handler.room == before);
}
