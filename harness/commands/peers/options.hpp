#pragma once
/// \file
/// What the user asked `nasvm peers` for, checked.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/cli/command_line.hpp"
#include "harness/cli/options.hpp"
#include "kernels/kernel.hpp"

namespace nasvm {

/// `nasvm peers`.
struct PeersOptions {
  std::string folder;         ///< where the peers' programs lie: ft.A.x, cg.B.x, ...
  std::string serial_folder;  ///< where serial ones of the same work lie, under the same names; empty: nowhere
  std::vector<const Kernel*> kernels;
  std::vector<char> classes{'A'};
  std::vector<int> task_counts{1, 2};
  std::vector<std::string> transports{"auto"};  ///< ours, each beside the peer
  std::vector<std::string> variants{""};        ///< ours, each beside the peer; empty: each kernel's default
  std::vector<std::string> over{};              ///< ours that the peers' programs run over, too
  int runs = 5;
  int warmup = 1;
  double timeout_s = 3600;  ///< for one run of either
  OutputOptions output;
};

/// Adds all of them to the command; `formats` are the names for --format.
void add_peers_options(CommandLine& line, PeersOptions& options, std::span<const std::string_view> formats);

}  // namespace nasvm
