#include "vm/daemon/console_connection.hpp"

#include <sys/socket.h>

#include <catch2/catch.hpp>
#include <optional>
#include <thread>

#include "support/deadline.hpp"
#include "support/packet_recorder.hpp"
#include "vm/net/acceptor.hpp"
#include "vm/net/address.hpp"
#include "vm/protocol/protocol.hpp"
#include "vm/status.hpp"

using namespace nasvm;
using namespace nasvm::test;
using namespace std::chrono_literals;

namespace {

/// The next connection; none when nobody comes.
net::Fd accept(const net::Fd& listener) {
  net::Fd accepted;
  for (Deadline deadline; !accepted && !deadline.passed(); std::this_thread::yield()) {
    accepted.reset(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  }
  return accepted;
}

struct Console final : net::ConnectionOwner {
  Console(net::Fd socket, net::Poller& poller, const Secret& secret)
      : connection(std::move(socket), net::Connection::Origin::accepted,
                   {secret, Tid::console(), protocol::control_connection}, poller, recorder, *this) {}
  bool admits(net::Connection&, Tid) override { return true; }
  void established(net::Connection&) override { is_established = true; }
  void lost(net::Connection&, const std::string&) override {}

  bool is_established = false;
  PacketRecorder recorder;
  net::Connection connection;
};

}  // namespace

TEST_CASE("a daemon that the console has pushed out connects again", "[console connection]") {
  const Secret secret = make_secret();
  const net::Fd listener = net::listen_on("127.0.0.1", 8);
  bool established = false;
  std::thread console_thread([&] {
    for (int pushed_out = 0; pushed_out < 3; ++pushed_out) (void)accept(listener);
    net::Fd accepted = accept(listener);
    if (!accepted) return;
    net::Poller poller;
    Console console(std::move(accepted), poller, secret);
    for (Deadline deadline; !console.is_established && !deadline.passed();) (void)poller.wait(10ms);
    established = console.is_established;
  });
  net::Fd socket;
  CHECK_NOTHROW(socket = daemon::connect_to_console(net::to_string(net::local_address(listener.get())), 1, secret));
  console_thread.join();
  CHECK(established);
}

TEST_CASE("a daemon whose console is gone says so when enough has been tried", "[console connection]") {
  std::string address;
  {
    const net::Fd listener = net::listen_on("127.0.0.1", 8);
    address = net::to_string(net::local_address(listener.get()));
  }
  CHECK_THROWS_WITH(
      daemon::connect_to_console(address, 1, make_secret(), {.patience = 0s, .least_attempts = 2}),
      Catch::StartsWith("the console at " + address + " cannot be reached: Connection refused; TCP from"));
}

TEST_CASE("a daemon that gets no answer gives up while the console still waits for it", "[console connection]") {
  using TimePoint = net::Redial::TimePoint;
  net::Redial redial(daemon::console_redial);
  const TimePoint begin{1000s};
  TimePoint now = begin;
  for (std::optional<TimePoint> next = now; next.has_value(); next = redial.fail(now)) now = redial.begin(*next);
  CHECK(now - begin > 8s);
  CHECK(now - begin < 13s);  // of the console's 15 s some are over when a daemon begins
}
