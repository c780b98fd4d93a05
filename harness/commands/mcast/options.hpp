#pragma once
/// \file
/// What the user asked `nasvm mcast` for, checked. Letters and their meaning are those of the OSU Micro-Benchmarks.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/cli/command_line.hpp"
#include "harness/cli/options.hpp"
#include "harness/commands/mcast/figures/figure.hpp"
#include "harness/commands/mcast/sweep.hpp"
#include "harness/measuring/effort.hpp"
#include "harness/report/view.hpp"
#include "vm/multicast/table.hpp"

namespace nasvm {

/// Of --figures: the papers' figures, in a lab of its own.
struct FigureOptions {
  std::vector<const McastFigure*> chosen;  ///< none: measure what the other options say
  bool quick = false;
  std::string folder = "mcast-figures";  ///< for documents and report
  std::string lab;                       ///< path of scripts/lab; empty: beside the program or above it
};

/// `nasvm mcast`.
struct McastOptions {
  std::vector<ProtocolVariant> variants;
  std::vector<std::string> remarks;  ///< for people, about the variants
  std::vector<std::string> beside;   ///< message systems
  std::vector<int> receivers;
  std::vector<std::uint64_t> sizes;
  std::string transport = "auto";  ///< of messages between two tasks
  bool authenticated = true;
  int ttl = 1;
  Effort effort;
  int runs = 3;
  Columns columns = Columns::usual;
  MachineOptions machine;
  double timeout_s = 3600;  ///< for one run: one protocol, one number of receivers, all sizes
  OutputOptions output;
  FigureOptions figures;
};

/// Adds all of them to the command; `formats` are the names for --format, `rows` the protocols to choose from. They
/// must outlive the line.
void add_mcast_options(CommandLine& line, McastOptions& options, std::span<const std::string_view> formats,
                       std::span<const multicast::Row> rows);

/// Numbers of receivers of a list such as "2,4,8". Throws UsageError.
std::vector<int> parse_receivers(const std::string& list);

}  // namespace nasvm
