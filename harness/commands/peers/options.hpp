#pragma once
/// \file
/// What the user asked `nasvm peers` for, checked.

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "kernels/kernel.hpp"

namespace CLI {
class App;
}

namespace nasvm {

/// `nasvm peers`.
struct PeersOptions {
  std::string folder;  ///< where the peers' programs lie: ft.A.x, cg.B.x, ...
  std::vector<const Kernel*> kernels;
  std::vector<char> classes;
  std::vector<int> task_counts;
  std::vector<std::string> transports;  ///< ours, each beside the peer
  int runs = 5;
  int warmup = 1;
  double timeout_s = 3600;  ///< for one run of either
  std::string format = "table";
  std::string export_json;  ///< these three: empty for no export
  std::string export_csv;
  std::string export_markdown;
  std::vector<std::string> command;
};

/// Adds the command to the program's; the function that it returns makes the options once the command line has been
/// read, and throws UsageError.
std::function<PeersOptions(std::span<const std::string> arguments)> add_peers(CLI::App& app);

}  // namespace nasvm
