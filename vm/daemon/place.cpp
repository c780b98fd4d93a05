#include "vm/daemon/place.hpp"

#include <array>
#include <charconv>
#include <cstdlib>
#include <cstring>

#include "vm/net/address.hpp"
#include "vm/net/interfaces.hpp"
#include "vm/status.hpp"

namespace nasvm::daemon {
namespace {

/// The index among `bootstrap.hosts`.
std::size_t index_of(const protocol::Bootstrap& bootstrap, std::optional<int> rank) {
  if (bootstrap.hosts.size() == 1) return 0;
  if (!rank.has_value()) throw UsageError("neither srun nor mpirun has said which of several hosts this is");
  const auto index = static_cast<std::size_t>(*rank);
  if (*rank >= 0 && index < bootstrap.hosts.size()) return index;
  throw UsageError("there are " + std::to_string(bootstrap.hosts.size()) + " hosts, but this is process " +
                   std::to_string(*rank) + " of those started together");
}

std::string choose_address(const protocol::Bootstrap& bootstrap, const std::string& of_hostfile) {
  if (!bootstrap.interface.empty()) return net::address_of_interface(bootstrap.interface, net::interfaces());
  if (!of_hostfile.empty() && net::is_local(of_hostfile)) return of_hostfile;
  const std::string console = net::parse_address(bootstrap.console).host();
  const std::string address = net::address_towards(console);
  if (address.empty()) throw RunError("there is no way from here to the console at " + console);
  return address;
}

}  // namespace

std::optional<int> rank_in_environment() {
  for (const char* name : {"SLURM_PROCID", "PMIX_RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK"}) {
    const char* text = std::getenv(name);
    if (text == nullptr) continue;
    int rank = 0;
    const char* const last = text + std::strlen(text);
    if (const auto [end, error] = std::from_chars(text, last, rank); error == std::errc() && end == last) return rank;
  }
  return std::nullopt;
}

Place find_place(const protocol::Bootstrap& bootstrap, std::optional<int> rank) {
  const std::size_t index = index_of(bootstrap, rank);
  const protocol::HostName& host = bootstrap.hosts.at(index);
  return {host.host, host.name, choose_address(bootstrap, host.address)};
}

}  // namespace nasvm::daemon
