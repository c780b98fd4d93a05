#include "vm/net/packet_stream.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <stdexcept>
#include <utility>
#include <vector>

#include "support/packet_recorder.hpp"

using namespace nasvm;
using namespace nasvm::net;
using namespace nasvm::test;
using Result = PacketStream::Result;

namespace {

struct Sockets {
  Fd left, right;
};

Sockets connected_sockets() {
  int fds[2];
  REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fds) == 0);
  return {Fd(fds[0]), Fd(fds[1])};
}

/// Two streams on one socket pair.
struct Pair {
  Pair() : Pair(connected_sockets()) {}
  explicit Pair(Sockets sockets) : a(std::move(sockets.left), at_a), b(std::move(sockets.right), at_b) {}

  /// Goes on until nothing moves any more.
  void settle() {
    for (bool moved = true; moved;) {
      moved = a.flush() == Result::moved;
      moved |= b.receive() == Result::moved;
    }
  }

  PacketRecorder at_a, at_b;
  PacketStream a, b;
};

/// One stream; the test itself writes and reads the other end of its socket.
struct Single {
  Single() : Single(connected_sockets()) {}
  explicit Single(Sockets sockets) : raw(std::move(sockets.left)), stream(std::move(sockets.right), recorder) {}

  void write(std::span<const std::byte> bytes) {
    REQUIRE(::send(raw.get(), bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size()));
  }

  PacketRecorder recorder;
  Fd raw;
  PacketStream stream;
};

std::vector<std::byte> on_the_wire(const OwnPacket& packet) {
  const auto head = std::as_bytes(std::span(&packet.envelope, 1));
  std::vector<std::byte> bytes(head.begin(), head.end());
  bytes.insert(bytes.end(), packet.bytes.begin(), packet.bytes.end());
  return bytes;
}

std::vector<std::unique_ptr<OwnPacket>> numbered_packets(int count, std::size_t longest) {
  std::vector<std::unique_ptr<OwnPacket>> packets;
  for (int i = 0; i < count; ++i) {
    const auto seed = static_cast<unsigned>(i);
    packets.push_back(std::make_unique<OwnPacket>(pattern(seed * 37 % (longest + 1), seed), i));
  }
  return packets;
}

/// Whether exactly these packets have arrived, in this order.
bool same(const std::vector<PacketRecorder::Arrived>& arrived, const std::vector<std::unique_ptr<OwnPacket>>& sent) {
  return std::ranges::equal(arrived, sent, [](const auto& found, const auto& packet) {
    return found.envelope.tag == packet->envelope.tag && found.payload == packet->bytes;
  });
}

}  // namespace

TEST_CASE("a packet arrives as it was sent, whatever its length", "[packet_stream]") {
  const std::size_t bytes = GENERATE(0U, 1U, 100U, 32U * 1024, 1U << 20, (1U << 22) + 1);
  Pair pair;
  OwnPacket packet(pattern(bytes), -5);
  packet.envelope.kind = PacketKind::data;
  packet.envelope.offset = 1ULL << 40;
  pair.a.send(packet);
  pair.settle();
  REQUIRE(pair.at_b.arrived.size() == 1);
  CHECK(pair.at_b.arrived[0].payload == packet.bytes);
  CHECK(pair.at_b.arrived[0].envelope.tag == -5);
  CHECK(pair.at_b.arrived[0].envelope.kind == PacketKind::data);
  CHECK(pair.at_b.arrived[0].envelope.offset == 1ULL << 40);
  CHECK(pair.at_a.sent == std::vector<Packet*>{&packet});
  CHECK_FALSE(pair.a.wants_to_send());
}

TEST_CASE("nothing to send and nothing to receive is idle", "[packet_stream]") {
  Pair pair;
  CHECK(pair.a.flush() == Result::idle);
  CHECK(pair.b.receive() == Result::idle);
  CHECK(pair.b.resume() == Result::idle);
}

TEST_CASE("many small packets arrive in order", "[packet_stream]") {
  Pair pair;
  const auto packets = numbered_packets(5000, 300);
  for (const auto& packet : packets) pair.a.send(*packet);
  pair.settle();
  CHECK(same(pair.at_b.arrived, packets));
  CHECK(pair.at_a.sent.size() == packets.size());
}

TEST_CASE("packets that wait leave together and are read together", "[packet_stream]") {
  Pair pair;
  OwnPacket blocking(pattern(1 << 22));
  pair.a.send(blocking);
  REQUIRE(pair.a.wants_to_send());
  const auto packets = numbered_packets(100, 50);
  for (const auto& packet : packets) pair.a.send(*packet);
  CHECK(pair.at_a.sent.empty());
  pair.settle();
  REQUIRE(pair.at_b.arrived.size() == 101);
  CHECK(pair.at_b.arrived[0].payload == blocking.bytes);
  pair.at_b.arrived.erase(pair.at_b.arrived.begin());
  CHECK(same(pair.at_b.arrived, packets));
}

TEST_CASE("what the ends agree by passes data that wait, and nothing else", "[packet_stream]") {
  using enum PacketKind;
  Pair pair;
  OwnPacket leaving(pattern(1 << 22));
  leaving.envelope.kind = data;
  pair.a.send(leaving);
  REQUIRE(pair.a.wants_to_send());
  std::vector<std::unique_ptr<OwnPacket>> packets;
  const auto send = [&](int tag, PacketKind kind, std::size_t bytes) {
    packets.push_back(std::make_unique<OwnPacket>(pattern(bytes), tag));
    packets.back()->envelope.kind = kind;
    pair.a.send(*packets.back());
  };
  send(1, data, 100);
  send(2, grant, 0);
  send(3, data, 100);
  send(4, request, 0);
  send(5, eager, 10);
  send(6, data, 100);
  send(7, pulled, 0);
  send(8, control, 0);
  send(9, data, 100);
  send(10, credit, 0);
  send(11, invited, 100);
  send(12, data, 100);
  send(13, invite, 0);
  pair.settle();
  std::vector<int> tags;
  for (const auto& arrived : pair.at_b.arrived) tags.push_back(arrived.envelope.tag);
  CHECK(tags == std::vector{0, 2, 4, 1, 3, 5, 7, 6, 8, 10, 9, 11, 13, 12});
}

TEST_CASE("nothing passes packets that have left with those before them", "[packet_stream]") {
  Pair pair;
  const auto packets = numbered_packets(40, 50);
  OwnPacket leaving(pattern(1 << 22), 100), answer({}, 101);
  answer.envelope.kind = PacketKind::grant;
  bool answered = false;
  pair.at_a.on_sent = [&](Packet& sent) {
    if (&sent == &leaving || std::exchange(answered, true)) return;
    pair.a.send(answer);  // others have left in the same call
  };
  pair.a.send(leaving);
  for (const auto& packet : packets) {
    packet->envelope.kind = PacketKind::data;
    pair.a.send(*packet);
  }
  pair.settle();
  REQUIRE(pair.at_b.arrived.size() == packets.size() + 2);
  CHECK(std::ranges::count(pair.at_b.arrived, 101, [](const auto& each) { return each.envelope.tag; }) == 1);
  std::erase_if(pair.at_b.arrived, [](const auto& each) { return each.envelope.tag >= 100; });
  CHECK(same(pair.at_b.arrived, packets));
}

TEST_CASE("answers to packets that are read together leave together, afterwards", "[packet_stream]") {
  Pair pair;
  const auto packets = numbered_packets(40, 100);
  const auto answers = numbered_packets(40, 3000);
  std::size_t answered = 0;
  pair.at_b.on_arrived = [&](const auto&) {
    pair.b.send(*answers[answered++]);
    CHECK(pair.at_b.sent.empty());
    CHECK_FALSE(pair.b.wants_to_send());
  };
  for (const auto& packet : packets) pair.a.send(*packet);
  CHECK(pair.b.receive() == Result::moved);
  CHECK(answered == answers.size());
  CHECK(pair.at_b.sent.size() == answers.size());
  while (pair.a.receive() == Result::moved) continue;
  CHECK(same(pair.at_a.arrived, answers));
}

TEST_CASE("answers that the socket does not take wait for it", "[packet_stream]") {
  Pair pair;
  OwnPacket question({}), answer(pattern(1 << 22), 7);
  pair.at_b.on_arrived = [&](const auto&) { pair.b.send(answer); };
  pair.a.send(question);
  CHECK(pair.b.receive() == Result::moved);
  CHECK(pair.b.wants_to_send());
  while (pair.b.flush() == Result::moved || pair.a.receive() == Result::moved) continue;
  CHECK_FALSE(pair.b.wants_to_send());
  REQUIRE(pair.at_a.arrived.size() == 1);
  CHECK(pair.at_a.arrived[0].payload == answer.bytes);
}

TEST_CASE("a stream sends at once again after its handler has thrown", "[packet_stream]") {
  Pair pair;
  OwnPacket question({}), report(pattern(10));
  pair.at_b.on_arrived = [](const auto&) { throw std::runtime_error("it does not fit"); };
  pair.a.send(question);
  CHECK_THROWS_AS(pair.b.receive(), std::runtime_error);
  pair.b.send(report);
  CHECK(pair.at_b.sent == std::vector<Packet*>{&report});
}

TEST_CASE("a stream says what a handler that throws has left of a read, and goes on with it", "[packet_stream]") {
  Pair pair;
  OwnPacket first({}, 1), second(pattern(10), 2), last(pattern(20), 3), answer(pattern(30), 4);
  pair.at_b.on_arrived = [&](const auto& packet) {
    CHECK_FALSE(pair.b.has_staged());
    if (packet.envelope.tag == 1) pair.b.send(answer);
    if (packet.envelope.tag == 2) throw std::runtime_error("it does not fit");
  };
  for (OwnPacket* packet : {&first, &second, &last}) pair.a.send(*packet);
  CHECK_THROWS_AS(pair.b.receive(), std::runtime_error);
  CHECK(pair.at_b.arrived.size() == 2);
  CHECK(pair.b.has_staged());
  CHECK(pair.b.wants_to_send());
  CHECK(pair.b.receive() == Result::moved);
  CHECK_FALSE(pair.b.has_staged());
  REQUIRE(pair.at_b.arrived.size() == 3);
  CHECK(pair.at_b.arrived[2].payload == last.bytes);
  CHECK(pair.b.flush() == Result::moved);
  CHECK(pair.a.receive() == Result::moved);
  REQUIRE(pair.at_a.arrived.size() == 1);
  CHECK(pair.at_a.arrived[0].payload == answer.bytes);
}

TEST_CASE("a stream goes on where it was after its handler has thrown for a packet sent", "[packet_stream]") {
  Pair pair;
  OwnPacket large(pattern(1 << 22)), first(pattern(10, 1), 1), second(pattern(10, 2), 2), last(pattern(10, 3), 3);
  for (OwnPacket* packet : {&large, &first, &second}) pair.a.send(*packet);
  int thrown = 0;
  pair.at_a.on_sent = [&](const Packet&) {
    if (thrown++ == 0) throw std::runtime_error("once");
  };
  for (bool moved = true; moved;) {
    try {
      moved = pair.a.flush() == Result::moved;
    } catch (const std::runtime_error&) {
      moved = true;
    }
    moved |= pair.b.receive() == Result::moved;
  }
  pair.a.send(last);
  pair.settle();
  CHECK(thrown == 4);
  CHECK(pair.at_a.sent.size() == 4);
  REQUIRE(pair.at_b.arrived.size() == 4);
  CHECK(pair.at_b.arrived[0].payload == large.bytes);
  CHECK(pair.at_b.arrived[1].payload == first.bytes);
  CHECK(pair.at_b.arrived[2].payload == second.bytes);
  CHECK(pair.at_b.arrived[3].payload == last.bytes);
}

TEST_CASE("a socket that takes little at a time is no hindrance", "[packet_stream]") {
  Pair pair;
  const int smallest = 1;  // the system makes it a few kilobytes
  ::setsockopt(pair.a.fd(), SOL_SOCKET, SO_SNDBUF, &smallest, sizeof smallest);
  OwnPacket large(pattern(300'000), 1), small(pattern(10, 2), 2), other(pattern(50'000, 3), 3);
  for (OwnPacket* packet : {&large, &small, &other}) pair.a.send(*packet);
  CHECK(pair.at_a.sent.empty());
  pair.settle();
  REQUIRE(pair.at_b.arrived.size() == 3);
  CHECK(pair.at_b.arrived[0].payload == large.bytes);
  CHECK(pair.at_b.arrived[1].payload == small.bytes);
  CHECK(pair.at_b.arrived[2].payload == other.bytes);
  CHECK(pair.at_a.sent == std::vector<Packet*>{&large, &small, &other});
}

TEST_CASE("packets are put together from single bytes", "[packet_stream]") {
  Single single;
  const OwnPacket first(pattern(33), 1), second({}, 2);
  for (const OwnPacket* packet : {&first, &second}) {
    for (const std::byte byte : on_the_wire(*packet)) {
      single.write({&byte, 1});
      REQUIRE(single.stream.receive() == Result::moved);
    }
  }
  REQUIRE(single.recorder.arrived.size() == 2);
  CHECK(single.recorder.arrived[0].payload == first.bytes);
  CHECK(single.recorder.arrived[1].envelope.tag == 2);
}

TEST_CASE("a packet on hold stops the stream until there is room", "[packet_stream]") {
  Pair pair;
  const std::size_t longest = GENERATE(100U, 100'000U);
  const auto packets = numbered_packets(20, longest);
  pair.at_b.holds = 2;
  for (const auto& packet : packets) pair.a.send(*packet);
  pair.settle();
  CHECK(pair.b.on_hold());
  CHECK(pair.at_b.arrived.empty());
  CHECK(pair.b.receive() == Result::idle);
  CHECK(pair.at_b.begun == 1);

  CHECK(pair.b.resume() == Result::moved);  // asked again, and held again
  CHECK(pair.b.on_hold());
  CHECK(pair.at_b.begun == 2);
  CHECK(pair.at_b.arrived.empty());

  pair.b.resume();
  CHECK_FALSE(pair.b.on_hold());
  pair.settle();
  CHECK(same(pair.at_b.arrived, packets));
}

TEST_CASE("a stream may be held at any packet", "[packet_stream]") {
  Pair pair;
  const auto packets = numbered_packets(200, 2000);
  for (const auto& packet : packets) pair.a.send(*packet);
  for (int round = 0; round < 1000 && pair.at_b.arrived.size() < packets.size(); ++round) {
    pair.at_b.holds = round % 3 == 0 ? 1 : 0;
    pair.settle();
    if (pair.b.on_hold()) pair.b.resume();
  }
  CHECK(same(pair.at_b.arrived, packets));
}

TEST_CASE("a payload without a place is thrown away, and the next packet is whole", "[packet_stream]") {
  const std::size_t bytes = GENERATE(0U, 10U, 200'000U);
  Pair pair;
  pair.at_b.discard = true;
  OwnPacket unwanted(pattern(bytes));
  pair.a.send(unwanted);
  pair.settle();
  CHECK(pair.at_b.discarded == 1);
  pair.at_b.discard = false;
  OwnPacket wanted(pattern(500, 1));
  pair.a.send(wanted);
  pair.settle();
  REQUIRE(pair.at_b.arrived.size() == 1);
  CHECK(pair.at_b.arrived[0].payload == wanted.bytes);
}

TEST_CASE("garbage is recognised, after the packets before it", "[packet_stream]") {
  Single single;
  const OwnPacket packet(pattern(20));
  single.write(on_the_wire(packet));
  single.write(std::vector<std::byte>(sizeof(Envelope), std::byte{0xee}));
  CHECK(single.stream.receive() == Result::garbage);
  CHECK(single.recorder.arrived.size() == 1);
}

TEST_CASE("what was sent before the end is received, then the end", "[packet_stream]") {
  Single single;
  const OwnPacket packet(pattern(20));
  single.write(on_the_wire(packet));
  single.raw.reset();
  CHECK(single.stream.receive() == Result::moved);
  CHECK(single.recorder.arrived.size() == 1);
  CHECK(single.stream.receive() == Result::closed);
  CHECK(single.stream.end() == "the connection was closed");
}

TEST_CASE("a connection that the system ends is closed, with the system's reason", "[packet_stream]") {
  Single single;
  OwnPacket packet(pattern(10));
  single.stream.send(packet);  // which the peer has not read when it goes
  single.raw.reset();
  CHECK(single.stream.receive() == Result::closed);
  CHECK(single.stream.end() == "the connection broke: Connection reset by peer");
}

TEST_CASE("a connection that ends inside a packet is closed, and the packet never complete", "[packet_stream]") {
  Single single;
  const auto bytes = on_the_wire(OwnPacket(pattern(100)));
  single.write(std::span(bytes).first(bytes.size() - 1));
  single.raw.reset();
  Result result = Result::moved;
  for (int i = 0; i < 3 && result == Result::moved; ++i) result = single.stream.receive();
  CHECK(result == Result::closed);
  CHECK(single.recorder.arrived.empty());
}

TEST_CASE("sending to a peer that is gone says so and keeps the packet", "[packet_stream]") {
  Single single;
  single.raw.reset();
  OwnPacket packet(pattern(10));
  single.stream.send(packet);
  CHECK(single.stream.flush() == Result::closed);
  CHECK(single.recorder.sent.empty());
  std::vector<Packet*> given_up;
  single.stream.discard([&](Packet& waiting) { given_up.push_back(&waiting); });
  CHECK(given_up == std::vector<Packet*>{&packet});
  CHECK_FALSE(single.stream.wants_to_send());
}

TEST_CASE("an envelope of the other byte order is understood, its payload left alone", "[packet_stream]") {
  Single single;
  OwnPacket packet(pattern(7), 0x01020304);
  auto bytes = on_the_wire(packet);
  std::reverse(bytes.begin(), bytes.begin() + 2);
  for (auto at = bytes.begin() + 8; at != bytes.begin() + 40; at += 4) std::reverse(at, at + 4);
  for (auto at = bytes.begin() + 40; at != bytes.begin() + 56; at += 8) std::reverse(at, at + 8);
  single.write(bytes);
  CHECK(single.stream.receive() == Result::moved);
  REQUIRE(single.recorder.arrived.size() == 1);
  CHECK(single.recorder.arrived[0].envelope.tag == 0x01020304);
  CHECK(single.recorder.arrived[0].payload == packet.bytes);
}

TEST_CASE("a packet's departure may send the next, without end and without recursion", "[packet_stream]") {
  Pair pair;
  const auto packets = numbered_packets(2000, 100);
  std::size_t next = 1;
  int depth = 0;
  int deepest = 0;
  pair.at_a.on_sent = [&](Packet&) {
    deepest = std::max(deepest, ++depth);
    if (next < packets.size()) pair.a.send(*packets[next++]);
    --depth;
  };
  pair.a.send(*packets[0]);
  pair.settle();
  CHECK(same(pair.at_b.arrived, packets));
  CHECK(deepest == 1);
}

TEST_CASE("a packet may be sent again as soon as it has left", "[packet_stream]") {
  Pair pair;
  OwnPacket packet(pattern(64));
  int rest = 9;
  pair.at_a.on_sent = [&](Packet& sent) {
    if (rest-- == 0) return;
    ++sent.envelope.tag;
    pair.a.send(sent);
  };
  pair.a.send(packet);
  pair.settle();
  REQUIRE(pair.at_b.arrived.size() == 10);
  for (int i = 0; i < 10; ++i) CHECK(pair.at_b.arrived[static_cast<std::size_t>(i)].envelope.tag == i);
}

TEST_CASE("a copied packet needs its original no longer, and is not reported", "[packet_stream]") {
  Pair pair;
  OwnPacket blocking(pattern(1 << 22));
  pair.a.send(blocking);
  {
    auto text = pattern(1000, 5);
    Envelope envelope;
    envelope.kind = PacketKind::control;
    pair.a.send_copy(envelope, text);
    std::ranges::fill(text, std::byte{0});
  }
  pair.settle();
  REQUIRE(pair.at_b.arrived.size() == 2);
  CHECK(pair.at_b.arrived[1].envelope.kind == PacketKind::control);
  CHECK(pair.at_b.arrived[1].payload == pattern(1000, 5));
  CHECK(pair.at_a.sent == std::vector<Packet*>{&blocking});
}

TEST_CASE("giving up hands back the handler's packets and frees the stream's own", "[packet_stream]") {
  Pair pair;
  OwnPacket first(pattern(1 << 22)), second(pattern(10));
  pair.a.send(first);
  pair.a.send_copy(Envelope{}, pattern(10));
  pair.a.send(second);
  std::vector<Packet*> given_up;
  pair.a.discard([&](Packet& packet) { given_up.push_back(&packet); });
  CHECK(given_up == std::vector<Packet*>{&first, &second});
  CHECK(pair.at_a.sent.empty());
  CHECK_FALSE(pair.a.wants_to_send());
}

TEST_CASE("bytes that were read before the stream was made come first", "[packet_stream]") {
  const OwnPacket first(pattern(100), 1), second(pattern(200, 1), 2);
  auto bytes = on_the_wire(first);
  const auto rest = on_the_wire(second);
  bytes.insert(bytes.end(), rest.begin(), rest.end());
  for (std::size_t cut = 0; cut <= bytes.size(); cut += 13) {
    Single single;
    single.write(std::span(bytes).subspan(cut));
    CAPTURE(cut);
    REQUIRE(single.stream.preload(std::span(bytes).first(cut)) == Result::moved);
    CHECK(single.recorder.arrived.size() == (cut >= 156 ? 1 : 0));
    single.stream.receive();
    REQUIRE(single.recorder.arrived.size() == 2);
    CHECK(single.recorder.arrived[0].payload == first.bytes);
    CHECK(single.recorder.arrived[1].payload == second.bytes);
  }
}

TEST_CASE("garbage that was read before the stream was made is recognised", "[packet_stream]") {
  Single single;
  CHECK(single.stream.preload(std::vector<std::byte>(60, std::byte{1})) == Result::garbage);
}
