#include "vm/net/connection.hpp"

#include <sys/socket.h>

#include <catch2/catch.hpp>
#include <optional>
#include <stdexcept>

#include "support/deadline.hpp"
#include "support/packet_recorder.hpp"
#include "vm/net/address.hpp"

using namespace nasvm;
using namespace nasvm::net;
using namespace nasvm::test;

namespace {

constexpr Tid one = Tid::task(1, 1), two = Tid::task(2, 1);

/// One side: what arrives, and what it was told of its connection.
struct Side final : ConnectionOwner {
  bool admits(Connection&, Tid peer) override {
    asked = peer;
    return welcoming;
  }
  void established(Connection&) override { ++times_established; }
  void lost(Connection&, const std::string& why) override { reason = why; }

  bool welcoming = true;
  Tid asked;
  int times_established = 0;
  std::optional<std::string> reason;
  PacketRecorder recorder;
  std::unique_ptr<Connection> connection;
};

Connection::Options options_of(Tid self, std::uint32_t purpose = 1, std::byte secret = std::byte{42}) {
  Connection::Options options{.secret = {}, .self = self, .purpose = purpose, .acceptor = self == one ? two : one};
  options.secret.fill(secret);
  return options;
}

Fd accept_from(const Fd& listener) {
  // On the loopback interface the connection is there as soon as `connect` has been called.
  Fd socket(::accept4(listener.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
  REQUIRE(socket);
  return socket;
}

struct Pair {
  explicit Pair(const Connection::Options& left = options_of(one),
                const Connection::Options& right = options_of(two)) {
    const Fd listener = listen_on("127.0.0.1", 1);
    a.connection = make(a, start_connecting(local_address(listener.get())), Connection::Origin::connecting, left);
    b.connection = make(b, accept_from(listener), Connection::Origin::accepted, right);
  }

  std::unique_ptr<Connection> make(Side& side, Fd socket, Connection::Origin origin,
                                   const Connection::Options& options) {
    return std::make_unique<Connection>(std::move(socket), origin, options, poller, side.recorder, side);
  }

  /// Serves both sides until `done`; false when it does not come.
  template <typename Done>
  bool until(Done done) {
    for (int i = 0; i < 100'000 && !done(); ++i) {
      if (poller.wait(test::deadline_length()) == 0) break;
    }
    return done();
  }
  bool established() {
    return until([&] { return a.connection->is_established() && b.connection->is_established(); });
  }

  Poller poller;
  Side a, b;
};

}  // namespace

TEST_CASE("two sides that know the secret are connected and know each other", "[connection]") {
  Pair pair;
  CHECK(pair.a.connection->is_initiator());
  CHECK_FALSE(pair.b.connection->is_initiator());
  CHECK_FALSE(pair.a.connection->is_established());
  REQUIRE(pair.established());
  CHECK(pair.a.connection->peer() == two);
  CHECK(pair.b.connection->peer() == one);
  CHECK(pair.b.asked == one);
  CHECK(pair.a.times_established == 1);
  CHECK(pair.b.times_established == 1);
}

TEST_CASE("packets flow both ways, the early ones after the handshake", "[connection]") {
  Pair pair;
  OwnPacket early_a(pattern(100), 1), early_b(pattern(0), 2);
  pair.a.connection->send(early_a);
  pair.b.connection->send(early_b);
  CHECK(pair.a.recorder.sent.empty());
  REQUIRE(pair.established());

  OwnPacket late_a(pattern(2'000'000, 1), 3);
  pair.a.connection->send(late_a);
  pair.b.connection->send_copy(Envelope{}, pattern(10));
  REQUIRE(pair.until([&] { return pair.a.recorder.arrived.size() == 2 && pair.b.recorder.arrived.size() == 2; }));
  CHECK(pair.b.recorder.arrived[0].payload == early_a.bytes);
  CHECK(pair.b.recorder.arrived[1].payload == late_a.bytes);
  CHECK(pair.a.recorder.arrived[0].envelope.tag == 2);
  CHECK(pair.a.recorder.arrived[1].payload == pattern(10));
  CHECK(pair.a.recorder.sent == std::vector<Packet*>{&early_a, &late_a});
}

TEST_CASE("polling one connection receives without the poller", "[connection]") {
  Pair pair;
  CHECK_FALSE(pair.a.connection->poll());
  REQUIRE(pair.established());
  OwnPacket packet(pattern(100));
  pair.a.connection->send(packet);
  CHECK(pair.b.connection->poll());
  CHECK(pair.b.recorder.arrived.size() == 1);
  CHECK_FALSE(pair.b.connection->poll());
}

TEST_CASE("a connection that was polled for long is heard by the poller, awake or asleep", "[connection]") {
  Pair pair;
  REQUIRE(pair.established());
  for (int i = 0; i < 1000; ++i) CHECK_FALSE(pair.b.connection->poll());
  CHECK(pair.poller.wait(std::chrono::nanoseconds(0)) == 0);
  OwnPacket packet(pattern(100));
  pair.a.connection->send(packet);
  SECTION("awake") { (void)pair.poller.wait(std::chrono::nanoseconds(0)); }
  SECTION("asleep") { (void)pair.poller.wait(test::deadline_length()); }
  CHECK(pair.b.recorder.arrived.size() == 1);
}

TEST_CASE("answers that the socket does not take leave by the poller", "[connection]") {
  Pair pair;
  REQUIRE(pair.established());
  OwnPacket question({}), answer(pattern(30'000'000));
  pair.b.recorder.on_arrived = [&](const auto&) { pair.b.connection->send(answer); };
  pair.a.connection->send(question);
  REQUIRE(pair.until([&] { return pair.a.recorder.arrived.size() == 1; }));
  CHECK(pair.a.recorder.arrived[0].payload == answer.bytes);
}

TEST_CASE("what a handler that throws has left of a read comes by the poller, as do its answers", "[connection]") {
  const bool is_polled = GENERATE(true, false);
  Pair pair;
  REQUIRE(pair.established());
  OwnPacket first({}, 1), second({}, 2), last(pattern(20), 3), answer(pattern(30), 4);
  pair.b.recorder.on_arrived = [&](const auto& packet) {
    if (packet.envelope.tag == 1) pair.b.connection->send(answer);
    if (packet.envelope.tag == 2) throw std::runtime_error("it does not fit");
  };
  for (OwnPacket* packet : {&first, &second, &last}) pair.a.connection->send(*packet);
  if (is_polled) {
    CHECK_THROWS_AS(pair.b.connection->poll(), std::runtime_error);
  } else {
    CHECK_THROWS_AS(pair.until([] { return false; }), std::runtime_error);
  }
  REQUIRE(pair.until([&] { return pair.b.recorder.arrived.size() == 3 && pair.a.recorder.arrived.size() == 1; }));
  CHECK(pair.b.recorder.arrived[2].payload == last.bytes);
  CHECK(pair.a.recorder.arrived[0].payload == answer.bytes);
}

TEST_CASE("a peer without the secret is refused on both sides", "[connection]") {
  Pair pair(options_of(one, 1, std::byte{1}), options_of(two, 1, std::byte{2}));
  OwnPacket packet(pattern(10));
  pair.a.connection->send(packet);
  REQUIRE(pair.until([&] { return pair.a.reason && pair.b.reason; }));
  CHECK(pair.b.reason->find("secret") != std::string::npos);
  CHECK(pair.b.asked == Tid{});  // its owner is not troubled with strangers
  CHECK_FALSE(pair.a.connection->is_established());
  CHECK_FALSE(pair.b.connection->is_established());
  CHECK(pair.b.recorder.arrived.empty());

  PacketQueue waiting = pair.a.connection->take_waiting();
  CHECK(&waiting.pop() == &packet);
  CHECK(pair.a.connection->take_waiting().empty());
}

TEST_CASE("a peer that wants something else is refused", "[connection]") {
  Pair pair(options_of(one, 1), options_of(two, 2));
  REQUIRE(pair.until([&] { return pair.a.reason && pair.b.reason; }));
  CHECK(pair.a.times_established + pair.b.times_established == 0);
}

TEST_CASE("a peer that its owner does not want is refused", "[connection]") {
  Pair pair;
  pair.b.welcoming = false;
  REQUIRE(pair.until([&] { return pair.a.reason && pair.b.reason; }));
  CHECK(pair.b.reason == "not wanted");
  CHECK(pair.a.times_established + pair.b.times_established == 0);
}

TEST_CASE("the end of one side is reported to the other, once", "[connection]") {
  Pair pair;
  REQUIRE(pair.established());
  SECTION("when it is destroyed") { pair.a.connection.reset(); }
  SECTION("when it is closed") { pair.a.connection->close(); }
  REQUIRE(pair.until([&] { return pair.b.reason.has_value(); }));
  CHECK(pair.b.reason == "the connection was closed");
  CHECK_FALSE(pair.a.reason);
  CHECK(pair.poller.wait(std::chrono::nanoseconds(0)) == 0);
}

TEST_CASE("a peer that goes in the handshake is reported", "[connection]") {
  Pair pair;
  pair.a.connection.reset();
  REQUIRE(pair.until([&] { return pair.b.reason.has_value(); }));
  CHECK(pair.b.reason->find("handshake") != std::string::npos);
}

TEST_CASE("a stranger that sends something else is refused", "[connection]") {
  const Fd listener = listen_on("127.0.0.1", 1);
  const Fd stranger = start_connecting(local_address(listener.get()));
  Poller poller;
  Side side;
  Connection connection(accept_from(listener), Connection::Origin::accepted, options_of(two), poller, side.recorder,
                        side);
  const std::string text = "GET / HTTP/1.1\r\nHost: somebody else entirely, who took a wrong turn\r\n\r\n";
  REQUIRE(::send(stranger.get(), text.data(), text.size(), 0) == static_cast<ssize_t>(text.size()));
  while (!side.reason && poller.wait(test::deadline_length()) > 0) continue;
  CHECK(side.reason);
  CHECK_FALSE(connection.is_established());
}

TEST_CASE("an address where nobody listens is reported", "[connection]") {
  SocketAddress nobody;
  {
    const Fd listener = listen_on("127.0.0.1", 1);
    nobody = local_address(listener.get());
  }
  Poller poller;
  Side side;
  Connection connection(start_connecting(nobody), Connection::Origin::connecting, options_of(one), poller,
                        side.recorder, side);
  while (!side.reason && poller.wait(test::deadline_length()) > 0) continue;
  CHECK(side.reason);
}
