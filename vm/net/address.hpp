#pragma once
/// \file
/// IPv4 socket addresses as text ("127.0.0.1:4000") and as the system wants them.

#include <netinet/in.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "vm/net/fd.hpp"

namespace nasvm::net {

/// Throws RunError unless `host` is a dotted IPv4 address.
sockaddr_in make_address(const std::string& host, std::uint16_t port);
/// Throws RunError unless `text` is "a.b.c.d:port".
sockaddr_in parse_address(std::string_view text);
std::string to_string(const sockaddr_in& address);

/// Does this host have that address? Throws RunError when that cannot be found out.
bool is_local(const std::string& host);
/// A listening TCP socket on that address, any port, non-blocking. Throws RunError.
Fd listen_on(const std::string& host, int backlog);
/// The address a socket is bound to.
sockaddr_in local_address(int fd);
/// The address a connected socket's other end has; zeros when there is none any more.
sockaddr_in peer_address(int fd);
/// Does a connection between these two stay on one host? True for equal addresses and for two of the loopback
/// network.
bool on_one_host(const sockaddr_in& one, const sockaddr_in& other);
/// A TCP socket that is connecting, non-blocking. Throws RunError when that fails at once.
Fd start_connecting(const sockaddr_in& to);
/// Why a socket that was connecting is not connected, an errno; 0: it is.
int connect_error(int fd);
/// Messages leave at once, however small.
void set_no_delay(int fd);
/// What `close` does with what has not been sent or read: the system's default, or nothing is kept, not even the
/// memory of the connection (TIME_WAIT).
enum class Linger : std::uint8_t { in_background, not_at_all };
/// A listening socket hands it on to those that it accepts.
void set_linger(int fd, Linger linger);
/// Has TCP control congestion by that method; the system's default stays where it does not have it.
void set_congestion_control(int fd, std::string_view method);

}  // namespace nasvm::net
