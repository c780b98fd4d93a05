#include "vm/launch/admission.hpp"

#include <catch2/catch.hpp>
#include <functional>

#include "support/deadline.hpp"
#include "support/packet_recorder.hpp"
#include "vm/net/address.hpp"
#include "vm/protocol/protocol.hpp"

using namespace nasvm;
using namespace nasvm::test;
using namespace std::chrono_literals;

namespace {

Secret secret_of(int number) {
  Secret secret{};
  secret[0] = static_cast<std::byte>(number);
  return secret;
}

/// One daemon's side.
struct Daemon final : net::ConnectionOwner {
  Daemon(const std::string& address, net::Poller& poller, int host, int secret)
      : connection(net::start_connecting(net::parse_address(address)), net::Connection::Origin::connecting,
                   {secret_of(secret), Tid::daemon(host), protocol::control_connection, Tid::console()}, poller,
                   recorder, *this) {}

  bool admits(net::Connection&, Tid) override { return true; }
  void established(net::Connection&) override { is_established = true; }
  void lost(net::Connection&, const std::string&) override { is_lost = true; }

  bool is_established = false;
  bool is_lost = false;
  PacketRecorder recorder;
  net::Connection connection;
};

/// The console's side, which takes every daemon's first connection.
struct Fixture final : net::ConnectionOwner {
  explicit Fixture(std::size_t daemons = 2)
      : admission("127.0.0.1", daemons, secret_of(1), poller, *this, recorder) {}

  bool admits(net::Connection&, Tid peer) override { return peer.is_daemon(); }
  void established(net::Connection& connection) override { taken.push_back(admission.take(connection)); }
  void lost(net::Connection& connection, const std::string&) override {
    lost_own += admission.drop(connection) ? 1 : 0;
  }

  std::unique_ptr<Daemon> connect(int host, int secret = 1) {
    return std::make_unique<Daemon>(admission.address(), poller, host, secret);
  }
  /// Lets things happen until `done`.
  bool settle(const std::function<bool()>& done) {
    for (Deadline deadline; !done() && !deadline.passed();) (void)poller.wait(10ms);
    return done();
  }

  net::Poller poller;
  PacketRecorder recorder;
  std::vector<std::unique_ptr<net::Connection>> taken;
  int lost_own = 0;
  Admission admission;
};

}  // namespace

TEST_CASE("a daemon that knows the secret is let in and handed over", "[admission]") {
  Fixture fixture;
  const auto daemon = fixture.connect(2);
  REQUIRE(fixture.settle([&] { return fixture.taken.size() == 1 && daemon->is_established; }));
  REQUIRE(fixture.taken[0] != nullptr);
  CHECK(fixture.taken[0]->peer() == Tid::daemon(2));
  CHECK(fixture.admission.strangers() == 0);
  CHECK(fixture.admission.take(*fixture.taken[0]) == nullptr);
  CHECK_FALSE(fixture.admission.drop(*fixture.taken[0]));
}

TEST_CASE("who does not know the secret is turned away", "[admission]") {
  Fixture fixture;
  const auto impostor = fixture.connect(1, 7);
  REQUIRE(fixture.settle([&] { return fixture.lost_own == 1; }));
  CHECK(fixture.taken.empty());
  CHECK(fixture.admission.strangers() == 0);
  fixture.admission.bury();
  CHECK(fixture.settle([&] { return impostor->is_lost; }));
}

TEST_CASE("those who say nothing keep no daemon out", "[admission]") {
  Fixture fixture;
  std::vector<net::Fd> silent;
  const auto address = net::parse_address(fixture.admission.address());
  for (std::size_t i = 0; i < Admission::most_strangers + 10; ++i) silent.push_back(net::start_connecting(address));
  const auto daemon = fixture.connect(1);
  CHECK(fixture.settle([&] { return fixture.taken.size() == 1; }));
  CHECK(fixture.admission.strangers() <= Admission::most_strangers + 2);
}

TEST_CASE("as many daemons as there are may come at once", "[admission]") {
  constexpr std::size_t count = Admission::most_strangers + 20;
  Fixture fixture(count);
  std::vector<std::unique_ptr<Daemon>> daemons;
  for (std::size_t host = 1; host <= count; ++host) daemons.push_back(fixture.connect(static_cast<int>(host)));
  CHECK(fixture.settle([&] { return fixture.taken.size() == count; }));
  CHECK(fixture.lost_own == 0);
}
