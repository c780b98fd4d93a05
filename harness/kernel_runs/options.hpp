#pragma once
/// \file
/// Which kernels are to run, how and where: options of every command that runs them.

#include <string>
#include <vector>

#include "harness/cli/command_line.hpp"
#include "harness/cli/options.hpp"
#include "kernels/kernel.hpp"

namespace nasvm {

struct RunOptions {
  std::vector<const Kernel*> kernels;  ///< in the order given, each once
  char problem_class = 'S';
  int np = 4;
  std::vector<std::string> transports{"daemon", "direct"};  ///< each is measured: "daemon", "daemon+direct", "auto"
  int threads = 1;
  int runs = 1;
  int warmup = 0;
  std::string variant;         ///< empty: each kernel's default
  ParameterValues parameters;  ///< of single kernels, those that were given
  Binding bind = Binding::core;
  double timeout_s = 3600;  ///< for one run
  MachineOptions machine;
  OutputOptions output;
};

/// The kernels, by name; all of them when none is named.
void add_kernels_argument(CommandLine& line, std::vector<const Kernel*>& kernels);

/// Adds all of them to a command; what `options` holds are the defaults. `formats` are the names for --format.
void add_run_options(CommandLine& line, RunOptions& options, std::span<const std::string_view> formats);

}  // namespace nasvm
