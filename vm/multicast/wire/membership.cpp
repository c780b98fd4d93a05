#include "vm/multicast/wire/membership.hpp"

#include <arpa/inet.h>
#include <linux/filter.h>
#include <net/if.h>
#include <netinet/udp.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "vm/net/fd.hpp"
#include "vm/net/interfaces.hpp"

namespace nasvm::multicast {
namespace {

in_addr raw(const net::SocketAddress& address) {
  sockaddr_in v4{};
  std::memcpy(&v4, address.get(), sizeof v4);
  return v4.sin_addr;
}

std::string refused(const std::string& what, const GroupInterface& interface) {
  return what + " on " + interface.name + ": " + std::strerror(errno);
}

template <typename T>
bool set(int descriptor, int name, const T& value) {
  return ::setsockopt(descriptor, IPPROTO_IP, name, &value, sizeof value) == 0;
}

std::size_t mtu_of(const std::string& interface) {
  const net::Fd helper(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  ifreq request{};
  interface.copy(request.ifr_name, sizeof request.ifr_name - 1);
  const bool known = helper && ::ioctl(helper.get(), SIOCGIFMTU, &request) == 0 && request.ifr_mtu > 0;
  return known ? static_cast<std::size_t>(request.ifr_mtu) : 0;
}

}  // namespace

GroupInterface interface_of(const net::SocketAddress& address) {
  const auto there = net::interfaces();
  const auto found = std::ranges::find(there, address.host(), &net::Interface::address);
  if (found == there.end()) {
    // The loopback interface has the whole network 127.0.0.0/8, of which one address is listed.
    const auto loopback = std::ranges::find(there, "127.0.0.1", &net::Interface::address);
    if (!address.is_loopback() || loopback == there.end()) return {};
    return {static_cast<int>(::if_nametoindex(loopback->name.c_str())), loopback->name, mtu_of(loopback->name)};
  }
  return {static_cast<int>(::if_nametoindex(found->name.c_str())), found->name, mtu_of(found->name)};
}

std::string send_to_groups_by(int descriptor, const GroupInterface& interface, int ttl) {
  ip_mreqn by{};
  by.imr_ifindex = interface.index;
  if (!set(descriptor, IP_MULTICAST_IF, by)) return refused("cannot send to multicast groups", interface);
  if (!set(descriptor, IP_MULTICAST_TTL, ttl)) return refused("cannot set the reach of multicast", interface);
  if (!set(descriptor, IP_MULTICAST_LOOP, 1)) return refused("cannot multicast to this computer's own", interface);
  return {};
}

std::string join(int descriptor, const net::SocketAddress& group, const GroupInterface& interface) {
  (void)set(descriptor, IP_MULTICAST_ALL, 0);  // not every system has it
  ip_mreqn membership{};
  membership.imr_multiaddr = raw(group);
  membership.imr_ifindex = interface.index;
  if (!set(descriptor, IP_ADD_MEMBERSHIP, membership)) return refused("cannot join a multicast group", interface);
  return {};
}

// Offsets count from the UDP header; a filter loads big-endian what envelopes have little-endian. A message that the
// system has put together of several datagrams is judged by its first: all of them are of one sender.
void ignore_own(int descriptor, std::uint32_t label, std::uint16_t node) {
  constexpr std::uint32_t node_at = sizeof(udphdr) + 2, label_at = sizeof(udphdr) + 4;
  std::array<sock_filter, 6> program{{
      {BPF_LD | BPF_H | BPF_ABS, 0, 0, node_at},
      {BPF_JMP | BPF_JEQ | BPF_K, 0, 3, __builtin_bswap16(node)},
      {BPF_LD | BPF_W | BPF_ABS, 0, 0, label_at},
      {BPF_JMP | BPF_JEQ | BPF_K, 0, 1, __builtin_bswap32(label)},
      {BPF_RET | BPF_K, 0, 0, 0},
      {BPF_RET | BPF_K, 0, 0, 0xffffffff},
  }};
  const sock_fprog filter{static_cast<unsigned short>(program.size()), program.data()};
  (void)::setsockopt(descriptor, SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof filter);
}

}  // namespace nasvm::multicast
