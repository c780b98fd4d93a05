#pragma once
/// \file
/// What the user asked `nasvm p2p` for, checked. Letters and their meaning are those of the OSU Micro-Benchmarks.

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "harness/commands/p2p/kind.hpp"
#include "harness/commands/p2p/measure.hpp"

namespace CLI {
class App;
}

namespace nasvm {

/// `nasvm p2p`.
struct P2pOptions {
  P2pKind kind = P2pKind::pair;
  std::vector<std::string> paths;        ///< transports and yardsticks, each measured
  std::vector<std::string> collectives;  ///< of that kind: which
  int np = 2;                            ///< tasks
  std::vector<int> skips;                ///< values of skip_poll for mixed transports; 0: adaptive
  std::vector<std::uint64_t> sizes;
  Effort effort;
  int runs = 3;
  bool full = false;
  std::string bind = "core";  ///< "core": each task to a core of its own; "none": where the system puts it
  std::string hostfile;     ///< empty: all tasks on this host; of a pair else one on its first, one on its last host
  double timeout_s = 3600;  ///< for one run: one path, all sizes
  std::string format = "table";
  std::string export_json;  ///< these three: empty for no export
  std::string export_csv;
  std::string export_markdown;
  std::vector<std::string> command;
};

/// Adds the command to the program's; the function that it returns makes the options once the command line has been
/// read, and throws UsageError.
std::function<P2pOptions(std::span<const std::string> arguments)> add_p2p(CLI::App& app);

/// Sizes of "MIN:MAX", "MAX", "MIN:" with endings k, M, G (powers of 1024): MIN, then its doubles up to MAX; after 0
/// comes 1. Throws UsageError.
std::vector<std::uint64_t> parse_sizes(const std::string& text);

/// The collectives of a list such as "allreduce,barrier" or "all", each once. Throws UsageError.
std::vector<std::string> parse_collectives(const std::string& list);

/// The values of a list such as "0,1,16,adaptive". Throws UsageError.
std::vector<int> parse_skips(const std::string& list);

/// The paths of a list such as "daemon,direct,raw-tcp", each once. Throws UsageError.
std::vector<std::string> parse_paths(const std::string& list);

}  // namespace nasvm
