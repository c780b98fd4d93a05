#include "lab/frame_port.hpp"

#include <arpa/inet.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>

#include "vm/status.hpp"

namespace nasvm::lab {
namespace {

/// Room for what arrives while another process has the core.
constexpr int buffer_bytes = 8 << 20;

[[noreturn]] void fail(const std::string& interface, const char* what) {
  throw RunError(interface + ": " + what + ": " + std::strerror(errno));
}

}  // namespace

FramePort::FramePort(const std::string& interface)
    : interface_(interface), fd_(::socket(AF_PACKET, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)) {
  if (!fd_) fail(interface, "no packet socket");
  const unsigned index = ::if_nametoindex(interface.c_str());
  if (index == 0) throw UsageError(interface + ": no such network interface");
  const int yes = 1;
  if (::setsockopt(fd_.get(), SOL_PACKET, PACKET_IGNORE_OUTGOING, &yes, sizeof(yes)) != 0) {
    fail(interface, "PACKET_IGNORE_OUTGOING");
  }
  // Beyond the system's limit where we may; otherwise up to it.
  for (const auto& [forced, usual] : {std::pair(SO_RCVBUFFORCE, SO_RCVBUF), std::pair(SO_SNDBUFFORCE, SO_SNDBUF)}) {
    if (::setsockopt(fd_.get(), SOL_SOCKET, forced, &buffer_bytes, sizeof(buffer_bytes)) != 0) {
      ::setsockopt(fd_.get(), SOL_SOCKET, usual, &buffer_bytes, sizeof(buffer_bytes));
    }
  }
  sockaddr_ll address{};
  address.sll_family = AF_PACKET;
  address.sll_protocol = htons(ETH_P_ALL);
  address.sll_ifindex = static_cast<int>(index);
  if (::bind(fd_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) fail(interface, "bind");
}

std::span<const std::byte> FramePort::receive() {
  for (;;) {
    const ssize_t bytes = ::recv(fd_.get(), buffer_.data(), buffer_.size(), 0);
    if (bytes >= 0) return std::span(buffer_).first(static_cast<std::size_t>(bytes));
    if (errno == EAGAIN) return {};
    // ENETDOWN is told once, when the interface goes down; it may come up again.
    if (errno != EINTR && errno != ENETDOWN) fail(interface_, "recv");
  }
}

void FramePort::send(std::span<const std::byte> frame) {
  while (::send(fd_.get(), frame.data(), frame.size(), 0) < 0 && errno == EINTR) {
  }
}

}  // namespace nasvm::lab
