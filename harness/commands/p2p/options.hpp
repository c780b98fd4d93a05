#pragma once
/// \file
/// What the user asked `nasvm p2p` for, checked. Letters and their meaning are those of the OSU Micro-Benchmarks.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/cli/command_line.hpp"
#include "harness/cli/options.hpp"
#include "harness/commands/p2p/kind.hpp"
#include "harness/measuring/effort.hpp"
#include "harness/report/view.hpp"

namespace nasvm {

/// `nasvm p2p`.
struct P2pOptions {
  P2pKind kind = P2pKind::pair;
  std::vector<std::string> paths;        ///< transports and yardsticks, each measured; of the coupled model both
  std::vector<std::string> collectives;  ///< of that kind: which
  int np = 2;                            ///< tasks
  std::vector<int> skips;                ///< values of skip_poll for two transports at once; 0: adaptive
  std::vector<std::uint64_t> sizes;
  Effort effort;
  int runs = 3;
  Columns columns = Columns::usual;
  Binding bind = Binding::core;
  bool between_hosts = false;  ///< there are several
  MachineOptions machine;      ///< of a hostfile a pair uses the first and the last host
  double timeout_s = 3600;     ///< for one run: one path, all sizes
  OutputOptions output;
};

/// Adds all of them to the command; `formats` are the names for --format.
void add_p2p_options(CommandLine& line, P2pOptions& options, std::span<const std::string_view> formats);

/// The collectives of a list such as "allreduce,barrier" or "all", each once. Throws UsageError.
std::vector<std::string> parse_collectives(const std::string& list);

/// The values of a list such as "0,1,16,adaptive". Throws UsageError.
std::vector<int> parse_skips(const std::string& list);

/// The paths of a list such as "daemon,direct,raw-tcp", each once. Throws UsageError.
std::vector<std::string> parse_paths(const std::string& list);

}  // namespace nasvm
