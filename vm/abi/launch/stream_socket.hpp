#pragma once
/// \file
/// The socket between StreamHost and StreamGuest: an abstract one of packets, which leaves nothing behind.

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <string>
#include <utility>

#include "vm/net/fd.hpp"

namespace nasvm::abi {

inline constexpr std::size_t longest_packet = 4096;

struct StreamAddress {
  explicit StreamAddress(const std::string& name) {
    address.sun_family = AF_UNIX;
    // The first character is 0: no file (unix(7), "Abstract").
    std::strncpy(address.sun_path + 1, name.c_str(), sizeof address.sun_path - 2);
    length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 +
                                    std::min(name.size(), sizeof address.sun_path - 2));
  }
  [[nodiscard]] const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&address); }

  sockaddr_un address{};
  socklen_t length = 0;
};

inline net::Fd make_stream_socket() { return net::Fd(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0)); }

/// Is the other end a process of this user?
inline bool is_own_process(int socket) {
  ucred peer{};
  socklen_t length = sizeof peer;
  return ::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0 && peer.uid == ::geteuid();
}

/// Room for the descriptors that travel along with one byte.
union StreamControl {
  cmsghdr head;
  std::array<char, CMSG_SPACE(3 * sizeof(int))> bytes;
};

struct StreamParcel {
  explicit StreamParcel(StreamControl& control) {
    message.msg_iov = &piece;
    message.msg_iovlen = 1;
    message.msg_control = control.bytes.data();
    message.msg_controllen = control.bytes.size();
  }
  char byte = 0;
  iovec piece{&byte, 1};
  msghdr message{};
};

}  // namespace nasvm::abi
