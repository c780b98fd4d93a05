#pragma once
/// \file
/// Socket addresses as text ("127.0.0.1:4000", "[::1]:4000") and as the system wants them: IPv4, and IPv6.

#include <netinet/in.h>
#include <sys/socket.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "vm/net/fd.hpp"

namespace nasvm::net {

/// An address and port; of no family when nothing has been put there.
class SocketAddress {
 public:
  SocketAddress() = default;

  [[nodiscard]] int family() const { return address_.v6.sin6_family; }
  /// "127.0.0.1", "fe80::1%eth0".
  [[nodiscard]] std::string host() const;
  [[nodiscard]] std::uint16_t port() const { return ntohs(address_.v6.sin6_port); }
  void set_port(std::uint16_t port) { address_.v6.sin6_port = htons(port); }
  /// "127.0.0.1:4000", "[::1]:4000".
  [[nodiscard]] std::string text() const;
  [[nodiscard]] bool is_loopback() const;
  bool operator==(const SocketAddress& other) const;

  // For system calls; one that fills it may write up to `capacity` bytes.
  static constexpr socklen_t capacity = sizeof(sockaddr_in6);
  [[nodiscard]] const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&address_); }
  [[nodiscard]] sockaddr* get() { return reinterpret_cast<sockaddr*>(&address_); }
  [[nodiscard]] socklen_t size() const { return family() == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6); }

 private:
  // The families' forms begin alike: family, port.
  union {
    sockaddr_in6 v6;
    sockaddr_in v4;
  } address_{};
};

/// Throws RunError unless `host` is an IPv4 or IPv6 address; one of a link needs its interface ("fe80::1%eth0").
SocketAddress make_address(const std::string& host, std::uint16_t port);
/// Throws RunError unless `text` is "a.b.c.d:port" or "[a:b::c]:port".
SocketAddress parse_address(std::string_view text);
/// The address that a name stands for (an address stands for itself), IPv4 rather than IPv6, port 0. Nothing when it
/// is not known. Blocks while name servers are asked.
std::optional<SocketAddress> resolve(const std::string& name);
inline std::string to_string(const SocketAddress& address) { return address.text(); }

/// Does this host have that address? Throws RunError when that cannot be found out.
bool is_local(const std::string& host);
/// A listening TCP socket on that address, any port, non-blocking. Throws RunError.
Fd listen_on(const std::string& host, int backlog);
/// The address a socket is bound to.
SocketAddress local_address(int fd);
/// The address a connected socket's other end has; none when there is no other end any more.
SocketAddress peer_address(int fd);
/// Does a connection between these two stay on one host? True for equal addresses and for two of the loopback
/// network.
bool on_one_host(const SocketAddress& one, const SocketAddress& other);
/// A TCP socket that is connecting, non-blocking. Throws RunError when that fails at once.
Fd start_connecting(const SocketAddress& to);
/// Why a socket that was connecting is not connected, an errno; 0: it is.
int connect_error(int fd);
/// Messages leave at once, however small, and soon again when they are lost.
void set_no_delay(int fd);
/// What `close` does with what has not been sent or read: the system's default, or nothing is kept, not even the
/// memory of the connection (TIME_WAIT).
enum class Linger : std::uint8_t { in_background, not_at_all };
/// A listening socket hands it on to those that it accepts.
void set_linger(int fd, Linger linger);
/// Notices within `patience` that the other computer is gone or out of reach, also where nothing is sent.
void set_keep_alive(int fd, std::chrono::seconds patience);
/// Has TCP control congestion by that method; the system's default stays where it does not have it.
void set_congestion_control(int fd, std::string_view method);

}  // namespace nasvm::net
