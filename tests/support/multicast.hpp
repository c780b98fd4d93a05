#pragma once
/// \file
/// Whether this system carries multicast on the loopback interface: asked with plain sockets, so that where it does,
/// a test to which nothing comes fails, and is not skipped.

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include "vm/net/fd.hpp"

namespace nasvm::test {

inline bool has_multicast() {
  const net::Fd sender(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  const net::Fd receiver(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  in_addr loopback{};
  ::inet_pton(AF_INET, "127.0.0.1", &loopback);
  sockaddr_in group{};
  auto* const address = reinterpret_cast<sockaddr*>(&group);
  socklen_t size = sizeof group;
  group.sin_family = AF_INET;
  // Any port of any address of this host; then the same port of a group.
  if (::bind(receiver.get(), address, size) != 0 || ::getsockname(receiver.get(), address, &size) != 0) return false;
  ::inet_pton(AF_INET, "239.255.0.1", &group.sin_addr);
  const ip_mreq membership{group.sin_addr, loopback};
  if (::setsockopt(receiver.get(), IPPROTO_IP, IP_ADD_MEMBERSHIP, &membership, sizeof membership) != 0 ||
      ::setsockopt(sender.get(), IPPROTO_IP, IP_MULTICAST_IF, &loopback, sizeof loopback) != 0 ||
      ::sendto(sender.get(), "x", 1, 0, address, size) != 1) {
    return false;
  }
  pollfd arrived{receiver.get(), POLLIN, 0};
  return ::poll(&arrived, 1, 5000) == 1;
}

}  // namespace nasvm::test
