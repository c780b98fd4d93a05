#pragma once
/// \file
/// Network interfaces of this host: which of its addresses the machine is to use.

#include <span>
#include <string>
#include <vector>

namespace nasvm::net {

struct Interface {
  std::string name;     ///< "eth0"
  std::string address;  ///< IPv4 or IPv6
  int prefix_bits = 0;  ///< of its network: 24

  bool operator==(const Interface&) const = default;
};

/// Those that are up, an entry for each address, IPv4 first. Throws RunError.
std::vector<Interface> interfaces();

/// The address that `wanted` means among those: the name of an interface ("eth0"), a network ("10.1.0.0/16": the
/// first address in it), or an address. Throws UsageError, with the interfaces that there are.
std::string address_of_interface(const std::string& wanted, std::span<const Interface> there);

/// This host's address on the way to `peer`, as its routes say; nothing is sent. Empty where there is no way.
std::string address_towards(const std::string& peer);

/// Is it an address of the loopback network, which no other computer can reach?
bool is_loopback(const std::string& address);

}  // namespace nasvm::net
