#pragma once
/// \file
/// The options of `nasvm reproduce`.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/cli/command_line.hpp"
#include "harness/commands/reproduce/paper.hpp"
#include "kernels/kernel.hpp"

namespace nasvm {

struct ReproduceOptions {
  std::vector<const Testbed*> testbeds;  ///< in the order asked for
  std::vector<const Kernel*> kernels;
  bool quick = false;
  int rate_mbit_s = 0;                  ///< of all testbeds; 0: the paper's
  std::string folder = "reproduction";  ///< for documents and report
  std::string lab;                      ///< path of scripts/lab; empty: beside the program or above it
  double timeout_s = 1800;              ///< for one run
  std::string format = "table";
};

void add_reproduce_options(CommandLine& line, ReproduceOptions& options, std::span<const std::string_view> formats);

}  // namespace nasvm
