#pragma once
/// \file
/// Where a daemon is: which of the machine's hosts, and under which address.

#include <optional>
#include <string>

#include "vm/protocol/messages.hpp"

namespace nasvm::daemon {

struct Place {
  int host = 1;         ///< index, from 1
  std::string name;     ///< as in the hostfile
  std::string address;  ///< of this host
};

/// This process's rank among those that were started together, by a variable of the environment; none where it is not
/// set, or is no number.
std::optional<int> rank_in_environment(const std::string& variable);

/// The host of a daemon that has been told `bootstrap`: the only one, or that of whose address or name this computer
/// has, or that of its rank; ranks alone are not to be trusted, since mpirun inside a Slurm job has an order of its
/// own. Its address is the interface's that the console names; without one that of the hostfile, where this host has
/// it; else the one on the way to the console, which all hosts of a cluster can reach as a rule (a bridge of
/// containers never is). Throws UsageError when the rank is missing or too large, or the host has no such interface.
Place find_place(const protocol::Bootstrap& bootstrap, std::optional<int> rank);

}  // namespace nasvm::daemon
