#pragma once
/// \file
/// What the user asked `nasvm hosts` for, checked.

#include <functional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace nasvm {

/// `nasvm hosts`.
struct HostsOptions {
  bool methods = false;    ///< also which transport each pair of tasks would use
  bool all_pairs = false;  ///< one line for each pair, instead of one for all that are alike
  int np = 4;
  std::vector<std::string> transports{"auto"};  ///< orders of preference, each by itself
  std::string hostfile;                         ///< empty: this host alone
  std::string launcher = "local";
  std::string format = "table";
};

/// Adds the command to the program's; the function that it returns makes the options once the command line has been
/// read, and throws UsageError.
std::function<HostsOptions()> add_hosts(CLI::App& app);

}  // namespace nasvm
