#pragma once
/// \file
/// What the user asked for on the command line, checked against the tables of kernels, transports and formats.
/// Everything wrong is a UsageError of one line: what is wrong, and what would be right.

#include <span>
#include <string>
#include <variant>
#include <vector>

#include "harness/commands/hosts/options.hpp"
#include "harness/commands/p2p/options.hpp"
#include "harness/commands/peers/options.hpp"
#include "kernels/kernel.hpp"

namespace nasvm {

/// `nasvm run`.
struct RunOptions {
  std::vector<const Kernel*> kernels;  ///< in the order given, each once
  char problem_class = 'S';
  int np = 4;
  std::vector<std::string> transports;  ///< each is measured: "daemon", "daemon+direct", "auto"
  int threads = 1;
  int runs = 1;
  int warmup = 0;
  std::string hostfile;  ///< empty: this host alone
  std::string launcher = "local";
  std::string variant;         ///< empty: each kernel's default
  ParameterValues parameters;  ///< of single kernels, as far as given
  std::string bind = "core";   ///< "core": each task to cores of its own where there are enough; "none": no
  double timeout_s = 3600;     ///< for one run
  std::string format = "table";
  std::string export_json;  ///< these three: empty for no export
  std::string export_csv;
  std::string export_markdown;
  std::vector<std::string> command;  ///< the whole command line, for the result document
};

/// `nasvm roofline`.
struct RooflineOptions {
  RunOptions run;  ///< the runs that are held against the machine's limits
};

/// `nasvm compare`.
struct CompareOptions {
  std::vector<std::string> files;
  std::string format = "table";
};

/// `nasvm regress`.
struct RegressOptions {
  std::string baseline;
  std::string candidate;
  double threshold = 0.05;  ///< how much slower matters: 0.05 is five percent
  double confidence = 0.95;
};

/// `nasvm info`.
struct InfoOptions {
  std::string format = "text";
};

/// `--help` or `--version`: the text to print.
struct HelpRequest {
  std::string text;
};

using Options = std::variant<RunOptions, CompareOptions, RegressOptions, P2pOptions, HostsOptions, PeersOptions,
                             RooflineOptions, InfoOptions, HelpRequest>;

/// Reads the command line; `arguments[0]` is the program's name. Throws UsageError.
Options parse_options(std::span<const std::string> arguments);

}  // namespace nasvm
