#include "harness/commands/p2p/pair/yardstick.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <memory>

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "harness/commands/p2p/pair/forwarder.hpp"
#include "harness/commands/p2p/pair/socket_channel.hpp"
#include "vm/status.hpp"

namespace nasvm {
namespace {

constexpr int connect_timeout_ms = 10'000;

/// Whoever connects shows this; it travels through the machine, so nobody outside can know it.
using Cookie = std::array<std::byte, 16>;

/// Where rank 0 listens, as it tells rank 1.
struct Invitation {
  std::array<std::byte, sizeof(sockaddr_storage)> address{};
  std::uint32_t address_bytes = 0;
  Cookie cookie{};
};

[[noreturn]] void fail(const std::string& what) {
  throw RunError("yardstick: " + what + ": " + std::strerror(errno));
}

Socket make_socket(int family) {
  Socket socket(::socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (socket.fd() < 0) fail("no socket");
  return socket;
}

/// Nothing waits for more to send: messages must leave when they are sent.
void send_at_once(const Socket& socket, int family) {
  const int on = 1;
  if (family == AF_UNIX) return;
  if (::setsockopt(socket.fd(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) < 0) fail("cannot set TCP_NODELAY");
}

void wait_readable(const Socket& socket) {
  pollfd wanted{socket.fd(), POLLIN, 0};
  int ready = 0;
  do ready = ::poll(&wanted, 1, connect_timeout_ms);
  while (ready < 0 && errno == EINTR);
  if (ready == 0) errno = ETIMEDOUT;
  if (ready <= 0) fail("the other task does not connect");
}

/// Takes the first connection that shows the cookie; others are closed.
Socket accept_peer(const Socket& listener, const Cookie& cookie) {
  for (;;) {
    wait_readable(listener);
    Socket peer(::accept4(listener.fd(), nullptr, nullptr, SOCK_CLOEXEC));
    if (peer.fd() < 0) fail("cannot accept");
    wait_readable(peer);
    Cookie shown{};
    const ssize_t received = ::recv(peer.fd(), shown.data(), shown.size(), MSG_DONTWAIT);
    if (received == static_cast<ssize_t>(shown.size()) && shown == cookie) return peer;
  }
}

/// Rank 0's side: listens there, invites rank 1, waits for it.
Socket invite(Comm& comm, const sockaddr* address, socklen_t address_bytes) {
  const Socket listener = make_socket(address->sa_family);
  if (::bind(listener.fd(), address, address_bytes) < 0) fail("cannot bind");
  if (::listen(listener.fd(), 1) < 0) fail("cannot listen");
  Invitation invitation;
  invitation.address_bytes = sizeof invitation.address;
  if (::getsockname(listener.fd(), reinterpret_cast<sockaddr*>(invitation.address.data()),
                    &invitation.address_bytes) < 0) {
    fail("no address");
  }
  if (::getrandom(invitation.cookie.data(), invitation.cookie.size(), 0) !=
      static_cast<ssize_t>(invitation.cookie.size())) {
    fail("no random numbers");
  }
  comm.send(std::as_bytes(std::span(&invitation, 1)), 1);
  return accept_peer(listener, invitation.cookie);
}

/// Rank 1's side.
Socket follow_invitation(Comm& comm) {
  Invitation invitation;
  comm.recv(std::as_writable_bytes(std::span(&invitation, 1)), 0, 0);
  const auto* address = reinterpret_cast<const sockaddr*>(invitation.address.data());
  Socket socket = make_socket(address->sa_family);
  if (::connect(socket.fd(), address, invitation.address_bytes) < 0) fail("cannot connect to the other task");
  const Cookie& cookie = invitation.cookie;
  if (::send(socket.fd(), cookie.data(), cookie.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(cookie.size())) {
    fail("cannot send");
  }
  return socket;
}

Socket connect_pair(Comm& comm, const sockaddr* address, socklen_t address_bytes) {
  Socket socket = comm.rank() == 0 ? invite(comm, address, address_bytes) : follow_invitation(comm);
  send_at_once(socket, address->sa_family);
  return socket;
}

std::unique_ptr<Channel> open_tcp(Comm& comm, const std::string& address, Waiting waiting) {
  addrinfo hints{};
  hints.ai_flags = AI_NUMERICHOST;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (::getaddrinfo(address.c_str(), nullptr, &hints, &found) != 0 || found == nullptr) {
    throw RunError("yardstick: \"" + address + "\" is not an address");
  }
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> any_port(found, ::freeaddrinfo);
  return std::make_unique<SocketChannel>(connect_pair(comm, any_port->ai_addr, any_port->ai_addrlen), waiting);
}

std::unique_ptr<Channel> open_blocking_tcp(Comm& comm, const std::string& address) {
  return open_tcp(comm, address, Waiting::block);
}

std::unique_ptr<Channel> open_spinning_tcp(Comm& comm, const std::string& address) {
  return open_tcp(comm, address, Waiting::spin);
}

/// In the abstract name space, where the kernel chooses a free name and no file can stay behind.
Socket connect_unix(Comm& comm) {
  sockaddr_un any_name{};
  any_name.sun_family = AF_UNIX;
  const socklen_t bytes = offsetof(sockaddr_un, sun_path);
  return connect_pair(comm, reinterpret_cast<sockaddr*>(&any_name), bytes);
}

std::unique_ptr<Channel> open_unix(Comm& comm, const std::string&) {
  return std::make_unique<SocketChannel>(connect_unix(comm), Waiting::block);
}

/// Rank 0's end, with the forwarder between it and rank 1.
class ForwardedChannel final : public Channel {
 public:
  explicit ForwardedChannel(Socket peer) : ForwardedChannel(std::move(peer), make_pair()) {}

  void send(std::span<const std::byte> data) override { own_end_.send(data); }
  void recv(std::span<std::byte> data) override { own_end_.recv(data); }
  void send_burst(const Burst& out) override { own_end_.send_burst(out); }
  void recv_burst(const Burst& in) override { own_end_.recv_burst(in); }
  void exchange_bursts(const Burst& out, const Burst& in) override { own_end_.exchange_bursts(out, in); }

 private:
  using Pair = std::array<Socket, 2>;

  static Pair make_pair() {
    std::array<int, 2> ends{-1, -1};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) fail("no socket");
    return {Socket(ends[0]), Socket(ends[1])};
  }
  ForwardedChannel(Socket peer, Pair ends)
      : forwarder_(std::move(ends[1]), std::move(peer)), own_end_(std::move(ends[0]), Waiting::block) {}

  Forwarder forwarder_;  ///< outlives our end, with which it ends
  SocketChannel own_end_;
};

std::unique_ptr<Channel> open_forwarded_unix(Comm& comm, const std::string& address) {
  if (comm.rank() != 0) return open_unix(comm, address);
  return std::make_unique<ForwardedChannel>(connect_unix(comm));
}

constexpr std::array table{
    Yardstick{"raw-tcp", "plain blocking TCP sockets, the paper's TTCP", true, open_blocking_tcp},
    Yardstick{"raw-tcp-spin", "TCP sockets that are asked again and again, never slept on", true, open_spinning_tcp},
    Yardstick{"raw-unix", "plain blocking Unix sockets", false, open_unix},
    Yardstick{"raw-forwarder", "two of them, and a bare forwarder between", false, open_forwarded_unix},
};

}  // namespace

std::span<const Yardstick> yardsticks() { return table; }

const Yardstick* find_yardstick(std::string_view name) {
  const auto found = std::ranges::find(table, name, &Yardstick::name);
  return found == table.end() ? nullptr : &*found;
}

}  // namespace nasvm
