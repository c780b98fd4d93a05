#include "vm/daemon/place.hpp"

#include <sys/utsname.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>

#include "vm/net/address.hpp"
#include "vm/net/interfaces.hpp"
#include "vm/status.hpp"

namespace nasvm::daemon {
namespace {

bool is_alone_in(const std::string& address) {
  return !address.empty() && !net::is_loopback(address) && net::is_local(address);
}

/// Is it this computer's name, with or without the domain?
bool is_own_name(const std::string& name) {
  utsname system{};
  ::uname(&system);
  const std::string own = system.nodename;
  return name == own || name.substr(0, name.find('.')) == own.substr(0, own.find('.'));
}

/// The index among `bootstrap.hosts`.
std::size_t index_of(const protocol::Bootstrap& bootstrap, std::optional<int> rank) {
  const auto& hosts = bootstrap.hosts;
  if (hosts.size() == 1) return 0;
  for (const bool by_address : {true, false}) {
    const auto is_this = [&](const protocol::HostName& host) {
      return by_address ? is_alone_in(host.address) : is_own_name(host.name);
    };
    const auto found = std::ranges::find_if(hosts, is_this);
    if (found != hosts.end() && std::ranges::count_if(hosts, is_this) == 1) {
      return static_cast<std::size_t>(found - hosts.begin());
    }
  }
  if (!rank.has_value()) throw UsageError("nothing in the environment says which of several hosts this is");
  const auto index = static_cast<std::size_t>(*rank);
  if (*rank >= 0 && index < hosts.size()) return index;
  throw UsageError("there are " + std::to_string(hosts.size()) + " hosts, but this is process " +
                   std::to_string(*rank) + " of those started together");
}

std::string choose_address(const protocol::Bootstrap& bootstrap, const std::string& of_hostfile) {
  if (!bootstrap.interface.empty()) return net::address_of_interface(bootstrap.interface, net::interfaces());
  const net::SocketAddress to = net::parse_address(bootstrap.console);
  const bool fits = !of_hostfile.empty() && net::make_address(of_hostfile, 0).family() == to.family();
  if (fits && net::is_local(of_hostfile)) return of_hostfile;
  const std::string console = to.host();
  std::string address = net::address_towards(console);
  if (address.empty()) throw RunError("there is no way from here to the console at " + console);
  return address;
}

}  // namespace

std::optional<int> rank_in_environment(const std::string& variable) {
  const char* text = variable.empty() ? nullptr : std::getenv(variable.c_str());
  if (text == nullptr) return std::nullopt;
  int rank = 0;
  const char* const last = text + std::strlen(text);
  const auto [end, error] = std::from_chars(text, last, rank);
  return error == std::errc() && end == last ? std::optional(rank) : std::nullopt;
}

Place find_place(const protocol::Bootstrap& bootstrap, std::optional<int> rank) {
  const std::size_t index = index_of(bootstrap, rank);
  const protocol::HostName& host = bootstrap.hosts.at(index);
  return {host.host, host.name, choose_address(bootstrap, host.address)};
}

}  // namespace nasvm::daemon
