#include "vm/daemon/console_connection.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <thread>

#include "vm/message.hpp"
#include "vm/net/address.hpp"
#include "vm/protocol/protocol.hpp"
#include "vm/status.hpp"

namespace nasvm::daemon {
namespace {

using Clock = std::chrono::steady_clock;

/// How long the console may take for each answer. It has much to do when it starts many daemons.
constexpr std::chrono::seconds answer_patience{10};

/// A firewall on the console's host, and an address of a network that this host is not in, look the same from here.
constexpr const char* advice =
    "; TCP from the hosts to it has to be open (docs/clusters.md, Which network; --interface)";

/// An attempt that has failed; another one may not.
struct Failure {
  std::string reason;
};

Failure system_failure(const char* what) { return {std::string(what) + ": " + std::strerror(errno)}; }

/// False: there has been nothing.
bool wait_for(int fd, short events, Clock::time_point limit) {
  pollfd wanted{fd, events, 0};
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(limit - Clock::now()).count();
  const int found = ::poll(&wanted, 1, static_cast<int>(left > 0 ? left : 0));
  if (found < 0 && errno != EINTR) throw system_failure("cannot wait for it");
  return found != 0;
}

void shake_hands(int fd, Handshake& handshake) {
  for (;;) {
    const auto output = handshake.take_output();
    if (!output.empty() && ::send(fd, output.data(), output.size(), MSG_NOSIGNAL) < 0) {
      throw system_failure("cannot talk to it");
    }
    if (handshake.state() == Handshake::State::done) return;
    // One message at a time: bytes that follow the handshake belong to the packet stream.
    std::array<std::byte, Handshake::message_bytes> input;
    if (!wait_for(fd, POLLIN, Clock::now() + answer_patience)) throw Failure{"it does not answer"};
    const ssize_t got = ::recv(fd, input.data(), input.size(), 0);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) continue;
    if (got <= 0) throw Failure{"it closed the connection"};
    (void)handshake.feed({input.data(), static_cast<std::size_t>(got)});
    if (handshake.state() == Handshake::State::failed) {
      throw RunError("the console does not know the machine's secret");
    }
  }
}

net::Fd attempt(const net::SocketAddress& address, int host, const Secret& secret, Clock::time_point connect_by) {
  net::Fd socket;
  try {
    socket = net::start_connecting(address);
  } catch (const RunError& error) {
    throw Failure{error.what()};  // no port may be free just now
  }
  const bool ready = wait_for(socket.get(), POLLOUT, connect_by);
  const int error = ready ? net::connect_error(socket.get()) : ETIMEDOUT;
  if (error != 0) throw Failure{std::strerror(error) + std::string(advice)};
  Handshake handshake(secret, Handshake::Role::initiator, Tid::daemon(host).value, protocol::control_connection,
                      Tid::console().value);
  shake_hands(socket.get(), handshake);
  return socket;
}

}  // namespace

net::Fd connect_to_console(const std::string& address, int host, const Secret& secret,
                           const net::Redial::Options& options) {
  const net::SocketAddress console = net::parse_address(address);
  net::Redial redial(options);
  for (;;) {
    try {
      return attempt(console, host, secret, redial.begin(Clock::now()));
    } catch (const Failure& failure) {
      const auto next = redial.fail(Clock::now());
      if (!next) throw RunError("the console at " + address + " cannot be reached: " + failure.reason);
      std::this_thread::sleep_until(*next);
    }
  }
}

}  // namespace nasvm::daemon
