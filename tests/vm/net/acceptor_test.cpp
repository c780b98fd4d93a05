#include "vm/net/acceptor.hpp"

#include <sys/resource.h>
#include <sys/socket.h>

#include <catch2/catch.hpp>
#include <cerrno>
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
  explicit Fixture(net::Acceptor::Clock::duration patience = net::Acceptor::stranger_patience)
      : acceptor("127.0.0.1", 300, {secret_of(1), Tid::console(), protocol::control_connection}, poller, *this,
                 recorder, patience) {
    acceptor.start();
  }

  bool admits(net::Connection&, Tid peer) override {
    ++asked;
    return peer.is_daemon();
  }
  void established(net::Connection& connection) override { taken.push_back(acceptor.take(connection)); }
  void lost(net::Connection& connection, const std::string&) override {
    lost_own += acceptor.drop(connection) ? 1 : 0;
  }

  std::unique_ptr<Daemon> connect(int host, int secret = 1) {
    return std::make_unique<Daemon>(acceptor.address(), poller, host, secret);
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
  int asked = 0;
  net::Acceptor acceptor;
};

/// Has the other side closed this connection?
bool is_closed(const net::Fd& socket) {
  std::byte next{};
  const ssize_t got = ::recv(socket.get(), &next, 1, MSG_DONTWAIT);
  return got == 0 || (got < 0 && errno == ECONNRESET);
}

/// While it lives this process gets no more descriptors.
class NoDescriptors {
 public:
  NoDescriptors() {
    REQUIRE(::getrlimit(RLIMIT_NOFILE, &before_) == 0);
    const net::Fd lowest(::socket(AF_INET, SOCK_STREAM, 0));
    rlimit limit = before_;
    limit.rlim_cur = static_cast<rlim_t>(lowest.get());
    REQUIRE(::setrlimit(RLIMIT_NOFILE, &limit) == 0);
  }
  ~NoDescriptors() { ::setrlimit(RLIMIT_NOFILE, &before_); }
  NoDescriptors(const NoDescriptors&) = delete;
  NoDescriptors& operator=(const NoDescriptors&) = delete;

 private:
  rlimit before_{};
};

}  // namespace

TEST_CASE("a daemon that knows the secret is let in and handed over", "[acceptor]") {
  Fixture fixture;
  const auto daemon = fixture.connect(2);
  REQUIRE(fixture.settle([&] { return fixture.taken.size() == 1 && daemon->is_established; }));
  REQUIRE(fixture.taken[0] != nullptr);
  CHECK(fixture.taken[0]->peer() == Tid::daemon(2));
  CHECK(fixture.acceptor.strangers() == 0);
  CHECK(fixture.acceptor.take(*fixture.taken[0]) == nullptr);
  CHECK_FALSE(fixture.acceptor.drop(*fixture.taken[0]));
}

TEST_CASE("who does not know the secret is turned away", "[acceptor]") {
  Fixture fixture;
  const auto impostor = fixture.connect(1, 7);
  REQUIRE(fixture.settle([&] { return fixture.lost_own == 1; }));
  CHECK(fixture.taken.empty());
  CHECK(fixture.acceptor.strangers() == 0);
  fixture.acceptor.bury();
  CHECK(fixture.settle([&] { return impostor->is_lost; }));
}

TEST_CASE("those who say nothing keep no daemon out", "[acceptor]") {
  Fixture fixture;
  std::vector<net::Fd> silent;
  const auto address = net::parse_address(fixture.acceptor.address());
  for (std::size_t i = 0; i < 2 * net::Acceptor::most_strangers; ++i) {
    silent.push_back(net::start_connecting(address));
  }
  const auto daemon = fixture.connect(1);
  CHECK(fixture.settle([&] { return fixture.taken.size() == 1; }));
  CHECK(fixture.acceptor.strangers() <= net::Acceptor::most_strangers);
}

TEST_CASE("a daemon that has said hello is not pushed out by those who come later and say nothing", "[acceptor]") {
  Fixture fixture;
  const auto daemon = fixture.connect(1);
  std::vector<net::Fd> silent;
  const auto address = net::parse_address(fixture.acceptor.address());
  // All of them wait in the system's queue before the first is accepted.
  for (std::size_t i = 0; i < 4 * net::Acceptor::most_strangers; ++i) {
    silent.push_back(net::start_connecting(address));
  }
  CHECK(fixture.settle([&] { return daemon->is_established || daemon->is_lost; }));
  CHECK_FALSE(daemon->is_lost);
}

TEST_CASE("each stranger has a deadline, a daemon in its handshake has none", "[acceptor]") {
  Fixture fixture;
  const auto before = net::Acceptor::Clock::now();
  const auto address = net::parse_address(fixture.acceptor.address());
  const net::Fd silent = net::start_connecting(address);
  // A daemon that has said hello and does nothing more for now.
  const net::Fd slow = net::start_connecting(address);
  Handshake handshake(secret_of(1), Handshake::Role::initiator, Tid::daemon(1).value, protocol::control_connection,
                      Tid::console().value);
  const auto hello = handshake.take_output();
  REQUIRE(::send(slow.get(), hello.data(), hello.size(), 0) == static_cast<ssize_t>(hello.size()));
  REQUIRE(fixture.settle([&] { return fixture.asked == 1 && fixture.acceptor.strangers() == 1; }));

  fixture.acceptor.expel(before + net::Acceptor::stranger_patience);
  CHECK(fixture.acceptor.strangers() == 1);
  fixture.acceptor.expel(net::Acceptor::Clock::now() + net::Acceptor::stranger_patience);
  CHECK(fixture.acceptor.strangers() == 0);
  CHECK(is_closed(silent));
  std::byte answer{};
  CHECK(::recv(slow.get(), &answer, 1, MSG_DONTWAIT) == 1);
}

TEST_CASE("strangers go when their time is over, though nothing happens", "[acceptor]") {
  Fixture fixture(50ms);
  const auto address = net::parse_address(fixture.acceptor.address());
  const net::Fd first = net::start_connecting(address);
  REQUIRE(fixture.settle([&] { return fixture.acceptor.strangers() == 1; }));
  // Comes while the timer is set for the other one.
  const net::Fd second = net::start_connecting(address);
  CHECK(fixture.settle([&] { return is_closed(first) && is_closed(second); }));
  CHECK(fixture.acceptor.strangers() == 0);
}

TEST_CASE("a flood gets a few connections in at a time, so that others get their turn", "[acceptor]") {
  Fixture fixture;
  std::vector<net::Fd> silent;
  const auto address = net::parse_address(fixture.acceptor.address());
  for (int i = 0; i < 60; ++i) silent.push_back(net::start_connecting(address));
  fixture.acceptor.ready(EPOLLIN);
  CHECK(fixture.acceptor.strangers() > 0);
  CHECK(fixture.acceptor.strangers() < 60);
}

TEST_CASE("who connects while there are no descriptors wakes nobody all the time, and is let in later",
          "[acceptor]") {
  Fixture fixture;
  const net::Fd silent = net::start_connecting(net::parse_address(fixture.acceptor.address()));
  Deadline deadline;
  {
    const NoDescriptors none;
    int woken = 0;
    while (woken == 0 && !deadline.passed()) woken += fixture.poller.wait(10ms);
    REQUIRE(woken > 0);
    constexpr int looks = 1000;  // they take less time than it rests
    for (int i = 0; i < looks; ++i) woken += fixture.poller.wait(0ms);
    CHECK(woken < looks / 2);
  }
  CHECK(fixture.settle([&] { return fixture.acceptor.strangers() == 1; }));
}

TEST_CASE("as many daemons as there are may come at once", "[acceptor]") {
  constexpr std::size_t count = net::Acceptor::most_strangers + 20;
  Fixture fixture;
  std::vector<std::unique_ptr<Daemon>> daemons;
  for (std::size_t host = 1; host <= count; ++host) daemons.push_back(fixture.connect(static_cast<int>(host)));
  CHECK(fixture.settle([&] { return fixture.taken.size() == count; }));
  CHECK(fixture.lost_own == 0);
}
