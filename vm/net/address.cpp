#include "vm/net/address.hpp"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <cerrno>
#include <charconv>
#include <cstring>

#include "vm/status.hpp"

namespace nasvm::net {
namespace {

[[noreturn]] void fail(const std::string& what) { throw RunError(what + ": " + std::strerror(errno)); }

}  // namespace

sockaddr_in make_address(const std::string& host, std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  if (::inet_pton(AF_INET, host.c_str(), &address.sin_addr) != 1) {
    throw RunError("\"" + host + "\" is not an IPv4 address");
  }
  return address;
}

sockaddr_in parse_address(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  const std::string_view number = text.substr(colon + 1);  // all of it where there is no colon
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), port);
  if (colon == std::string_view::npos || error != std::errc() || end != number.data() + number.size()) {
    throw RunError("\"" + std::string(text) + "\" is not an address like 127.0.0.1:4000");
  }
  return make_address(std::string(text.substr(0, colon)), port);
}

std::string to_string(const sockaddr_in& address) {
  char host[INET_ADDRSTRLEN] = "";
  ::inet_ntop(AF_INET, &address.sin_addr, host, sizeof host);
  return std::string(host) + ":" + std::to_string(ntohs(address.sin_port));
}

bool is_local(const std::string& host) {
  const Fd fd(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!fd) fail("cannot make a socket");
  const sockaddr_in address = make_address(host, 0);
  if (::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) return true;
  if (errno != EADDRNOTAVAIL) fail("cannot bind to " + host);
  return false;
}

Fd listen_on(const std::string& host, int backlog) {
  Fd fd(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  const sockaddr_in address = make_address(host, 0);
  if (!fd || ::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      ::listen(fd.get(), backlog) != 0) {
    fail("cannot listen on " + host);
  }
  return fd;
}

sockaddr_in local_address(int fd) {
  sockaddr_in address{};
  socklen_t length = sizeof address;
  if (::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &length) != 0) fail("getsockname");
  return address;
}

sockaddr_in peer_address(int fd) {
  sockaddr_in address{};
  socklen_t length = sizeof address;
  ::getpeername(fd, reinterpret_cast<sockaddr*>(&address), &length);
  return address;
}

bool on_one_host(const sockaddr_in& one, const sockaddr_in& other) {
  const auto is_loopback = [](const sockaddr_in& address) {
    return ntohl(address.sin_addr.s_addr) >> IN_CLASSA_NSHIFT == IN_LOOPBACKNET;
  };
  return one.sin_addr.s_addr == other.sin_addr.s_addr || (is_loopback(one) && is_loopback(other));
}

Fd start_connecting(const sockaddr_in& to) {
  Fd fd(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!fd) fail("cannot make a socket");
  set_no_delay(fd.get());
  if (::connect(fd.get(), reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0 && errno != EINPROGRESS) {
    fail("cannot connect to " + to_string(to));
  }
  return fd;
}

int connect_error(int fd) {
  int error = 0;
  socklen_t length = sizeof error;
  ::getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &length);
  return error;
}

void set_no_delay(int fd) {
  const int on = 1;
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

void set_linger(int fd, Linger wanted) {
  const linger option{wanted == Linger::not_at_all ? 1 : 0, 0};
  ::setsockopt(fd, SOL_SOCKET, SO_LINGER, &option, sizeof option);
}

void set_congestion_control(int fd, std::string_view method) {
  ::setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, method.data(), static_cast<socklen_t>(method.size()));
}

}  // namespace nasvm::net
