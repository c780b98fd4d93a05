#include "vm/net/address.hpp"

#include <arpa/inet.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/tcp.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>

#include "vm/net/interfaces.hpp"
#include "vm/status.hpp"

namespace nasvm::net {
namespace {

[[noreturn]] void fail(const std::string& what) { throw RunError(what + ": " + std::strerror(errno)); }

/// The first address of the list, which is freed.
SocketAddress take(addrinfo* found) {
  SocketAddress address;
  std::memcpy(address.get(), found->ai_addr, std::min(found->ai_addrlen, SocketAddress::capacity));
  ::freeaddrinfo(found);
  return address;
}

}  // namespace

std::string SocketAddress::host() const {
  char text[INET6_ADDRSTRLEN] = "";
  if (family() == AF_INET) {
    ::inet_ntop(AF_INET, &address_.v4.sin_addr, text, sizeof text);
    return text;
  }
  ::inet_ntop(AF_INET6, &address_.v6.sin6_addr, text, sizeof text);
  char interface[IF_NAMESIZE] = "";
  const bool of_link =
      address_.v6.sin6_scope_id != 0 && ::if_indextoname(address_.v6.sin6_scope_id, interface) != nullptr;
  return of_link ? std::string(text) + "%" + interface : text;
}

std::string SocketAddress::text() const {
  return (family() == AF_INET ? host() : "[" + host() + "]") + ":" + std::to_string(port());
}

bool SocketAddress::is_loopback() const {
  if (family() == AF_INET) return ntohl(address_.v4.sin_addr.s_addr) >> IN_CLASSA_NSHIFT == IN_LOOPBACKNET;
  return family() == AF_INET6 && IN6_IS_ADDR_LOOPBACK(&address_.v6.sin6_addr);
}

bool SocketAddress::operator==(const SocketAddress& other) const {
  if (family() != other.family() || port() != other.port()) return false;
  if (family() == AF_INET) return address_.v4.sin_addr.s_addr == other.address_.v4.sin_addr.s_addr;
  return IN6_ARE_ADDR_EQUAL(&address_.v6.sin6_addr, &other.address_.v6.sin6_addr) &&
         address_.v6.sin6_scope_id == other.address_.v6.sin6_scope_id;
}

SocketAddress make_address(const std::string& host, std::uint16_t port) {
  addrinfo hints{};
  hints.ai_family = host.find(':') == std::string::npos ? AF_INET : AF_INET6;
  hints.ai_flags = AI_NUMERICHOST;
  addrinfo* found = nullptr;
  in_addr dotted{};  // getaddrinfo also takes 1.2.3
  const bool ill_formed = hints.ai_family == AF_INET && ::inet_pton(AF_INET, host.c_str(), &dotted) != 1;
  if (ill_formed || ::getaddrinfo(host.c_str(), nullptr, &hints, &found) != 0 || found == nullptr) {
    throw RunError("\"" + host + "\" is not an IPv4 or IPv6 address");
  }
  SocketAddress address = take(found);
  address.set_port(port);
  return address;
}

std::optional<SocketAddress> resolve(const std::string& name) {
  addrinfo hints{};
  for (const int family : {AF_INET, AF_INET6}) {
    hints.ai_family = family;
    addrinfo* found = nullptr;
    if (::getaddrinfo(name.c_str(), nullptr, &hints, &found) == 0 && found != nullptr) return take(found);
  }
  return std::nullopt;
}

SocketAddress parse_address(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  const std::string_view number = text.substr(colon + 1);  // all of it where there is no colon
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), port);
  std::string_view host = text.substr(0, colon);
  const bool in_brackets = host.size() > 2 && host.front() == '[' && host.back() == ']';
  if (in_brackets) host = host.substr(1, host.size() - 2);
  const bool fits = in_brackets == (host.find(':') != std::string_view::npos);
  if (colon == std::string_view::npos || error != std::errc() || end != number.data() + number.size() || !fits) {
    throw RunError("\"" + std::string(text) + "\" is not an address like 127.0.0.1:4000 or [::1]:4000");
  }
  return make_address(std::string(host), port);
}

bool is_local(const std::string& host) {
  const SocketAddress address = make_address(host, 0);
  const Fd fd(::socket(address.family(), SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!fd) fail("cannot make a socket");
  if (::bind(fd.get(), address.get(), address.size()) == 0) {
    // Hosts that take over for others may be set up so that any address can be bound (ip_nonlocal_bind). To one of
    // its own a host's way begins at that address, or an interface has it as a further one.
    const std::string towards = host.find('%') == std::string::npos ? address_towards(host) : std::string();
    if (towards.empty() || towards == address.host() || is_loopback(host)) return true;
    const std::vector<Interface> there = interfaces();
    return std::ranges::find(there, address.host(), &Interface::address) != there.end();
  }
  if (errno != EADDRNOTAVAIL) fail("cannot bind to " + host);
  return false;
}

Fd listen_on(const std::string& host, int backlog) {
  const SocketAddress address = make_address(host, 0);
  Fd fd(::socket(address.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!fd || ::bind(fd.get(), address.get(), address.size()) != 0 || ::listen(fd.get(), backlog) != 0) {
    fail("cannot listen on " + host);
  }
  return fd;
}

SocketAddress local_address(int fd) {
  SocketAddress address;
  socklen_t length = SocketAddress::capacity;
  if (::getsockname(fd, address.get(), &length) != 0) fail("getsockname");
  return address;
}

SocketAddress peer_address(int fd) {
  SocketAddress address;
  socklen_t length = SocketAddress::capacity;
  ::getpeername(fd, address.get(), &length);
  return address;
}

bool on_one_host(const SocketAddress& one, const SocketAddress& other) {
  if (one.is_loopback() && other.is_loopback()) return true;
  SocketAddress same_port = other;
  same_port.set_port(one.port());
  return one == same_port;
}

Fd start_connecting(const SocketAddress& to) {
  Fd fd(::socket(to.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!fd) fail("cannot make a socket");
  set_no_delay(fd.get());
  if (::connect(fd.get(), to.get(), to.size()) != 0 && errno != EINPROGRESS) {
    fail("cannot connect to " + to.text());
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
  // With little on its way, TCP doubles the time to each repetition: six losses in a row would be 10 s of silence.
  ::setsockopt(fd, IPPROTO_TCP, TCP_THIN_LINEAR_TIMEOUTS, &on, sizeof on);
}

void set_linger(int fd, Linger wanted) {
  const linger option{wanted == Linger::not_at_all ? 1 : 0, 0};
  ::setsockopt(fd, SOL_SOCKET, SO_LINGER, &option, sizeof option);
}

void set_keep_alive(int fd, std::chrono::seconds patience) {
  constexpr int probes = 4;
  const auto interval = static_cast<int>(patience.count()) / (probes + 1);
  const auto set = [fd](int level, int name, int value) { ::setsockopt(fd, level, name, &value, sizeof value); };
  set(SOL_SOCKET, SO_KEEPALIVE, 1);
  set(IPPROTO_TCP, TCP_KEEPIDLE, interval);
  set(IPPROTO_TCP, TCP_KEEPINTVL, interval);
  set(IPPROTO_TCP, TCP_KEEPCNT, probes);
  // What has been sent and not acknowledged counts by itself: no probe is sent then.
  set(IPPROTO_TCP, TCP_USER_TIMEOUT, static_cast<int>(std::chrono::milliseconds(patience).count()));
}

void set_congestion_control(int fd, std::string_view method) {
  ::setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, method.data(), static_cast<socklen_t>(method.size()));
}

}  // namespace nasvm::net
