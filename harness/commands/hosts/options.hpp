#pragma once
/// \file
/// What the user asked `nasvm hosts` for.

#include <string>
#include <vector>

#include "harness/cli/command_line.hpp"
#include "harness/cli/options.hpp"

namespace nasvm {

struct HostsOptions {
  bool methods = false;    ///< also which transport each pair of tasks would use
  bool all_pairs = false;  ///< one line for each pair, instead of one for all that are alike
  bool multicast = false;  ///< also which hosts IP multicast reaches
  int np = 4;
  std::vector<std::string> transports{"auto"};  ///< orders of preference, each by itself
  MachineOptions machine;
  std::string format = "table";
};

void add_hosts_options(CommandLine& line, HostsOptions& options);

}  // namespace nasvm
