#include "vm/net/interfaces.hpp"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <sys/socket.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <memory>
#include <numeric>
#include <optional>

#include "vm/net/address.hpp"
#include "vm/net/fd.hpp"
#include "vm/status.hpp"

namespace nasvm::net {
namespace {

/// An address as bytes in the order of the network: 4 or 16.
using Bytes = std::vector<std::uint8_t>;

std::optional<Bytes> bytes_of(std::string address) {
  address.resize(std::min(address.size(), address.find('%')));  // of a link: the interface is no part of the number
  Bytes bytes(sizeof(in6_addr));
  if (::inet_pton(AF_INET6, address.c_str(), bytes.data()) == 1) return bytes;
  bytes.resize(sizeof(in_addr));
  if (::inet_pton(AF_INET, address.c_str(), bytes.data()) == 1) return bytes;
  return std::nullopt;
}

/// "10.1.0.0/16"; a plain address is a network of its own.
struct Network {
  Bytes begin;
  std::size_t bits = 0;

  [[nodiscard]] bool contains(const Bytes& address) const {
    if (address.size() != begin.size()) return false;
    for (std::size_t bit = 0; bit < bits; ++bit) {
      if (((address[bit / 8] ^ begin[bit / 8]) & (0x80 >> bit % 8)) != 0) return false;
    }
    return true;
  }
};

std::optional<Network> parse_network(const std::string& text) {
  const std::size_t slash = text.find('/');
  const auto begin = bytes_of(text.substr(0, slash));
  if (!begin.has_value()) return std::nullopt;
  Network network{*begin, 8 * begin->size()};
  if (slash == std::string::npos) return network;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data() + slash + 1, last, network.bits);
  if (error != std::errc() || end != last || network.bits > 8 * begin->size()) return std::nullopt;
  return network;
}

int ones_in(const sockaddr* mask) {
  if (mask == nullptr) return 0;
  const auto* bytes =
      mask->sa_family == AF_INET
          ? reinterpret_cast<const std::uint8_t*>(&reinterpret_cast<const sockaddr_in*>(mask)->sin_addr)
          : reinterpret_cast<const sockaddr_in6*>(mask)->sin6_addr.s6_addr;
  const std::size_t size = mask->sa_family == AF_INET ? sizeof(in_addr) : sizeof(in6_addr);
  return std::accumulate(bytes, bytes + size, 0,
                         [](int ones, std::uint8_t byte) { return ones + std::popcount(byte); });
}

std::string text_of(const sockaddr* address) {
  SocketAddress known;
  const bool v4 = address->sa_family == AF_INET;
  std::memcpy(known.get(), address, v4 ? sizeof(sockaddr_in) : sizeof(sockaddr_in6));
  return known.host();
}

std::string listed(std::span<const Interface> there) {
  std::string list;
  for (const Interface& one : there) {
    list += (list.empty() ? "" : ", ") + one.name + " " + one.address + "/" + std::to_string(one.prefix_bits);
  }
  return list.empty() ? "none" : list;
}

}  // namespace

std::vector<Interface> interfaces() {
  ifaddrs* first = nullptr;
  if (::getifaddrs(&first) != 0) {
    throw RunError(std::string("cannot list the network interfaces: ") + std::strerror(errno));
  }
  const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> owner(first, ::freeifaddrs);
  std::vector<Interface> found;
  for (const int family : {AF_INET, AF_INET6}) {
    for (const ifaddrs* entry = first; entry != nullptr; entry = entry->ifa_next) {
      const bool usable = entry->ifa_addr != nullptr && entry->ifa_addr->sa_family == family;
      if (!usable || (entry->ifa_flags & IFF_UP) == 0) continue;
      found.push_back({entry->ifa_name, text_of(entry->ifa_addr), ones_in(entry->ifa_netmask)});
    }
  }
  return found;
}

std::string address_of_interface(const std::string& wanted, std::span<const Interface> there) {
  const auto named = std::ranges::find(there, wanted, &Interface::name);
  if (named != there.end()) return named->address;
  if (const auto network = parse_network(wanted)) {
    for (const bool loopback : {false, true}) {  // of a network that has both, what others can reach
      for (const Interface& one : there) {
        if (is_loopback(one.address) != loopback) continue;
        if (network->contains(bytes_of(one.address).value_or(Bytes{}))) return one.address;
      }
    }
  }
  throw UsageError("no interface is \"" + wanted +
                   "\" (a name, or a network such as 10.1.0.0/16); this host has: " + listed(there));
}

std::string address_towards(const std::string& peer) {
  constexpr std::uint16_t any_port = 9;  // discard; connecting a datagram socket sends nothing
  const SocketAddress to = make_address(peer, any_port);
  const Fd probe(::socket(to.family(), SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!probe || ::connect(probe.get(), to.get(), to.size()) != 0) return {};
  return local_address(probe.get()).host();
}

bool is_loopback(const std::string& address) { return !address.empty() && make_address(address, 0).is_loopback(); }

}  // namespace nasvm::net
