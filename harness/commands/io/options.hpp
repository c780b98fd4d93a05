#pragma once
/// \file
/// What the user asked `nasvm io` for, checked.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/cli/command_line.hpp"
#include "harness/cli/options.hpp"

namespace nasvm {

/// `nasvm io`.
struct IoOptions {
  std::vector<std::string> methods;
  std::vector<int> np;
  int grid = 100;
  std::vector<std::uint64_t> accesses;
  std::uint64_t data_bytes = 0;
  std::vector<std::uint64_t> disk_bytes;  ///< disk caches of each task: those that are tried
  bool preload = true;
  bool sync = true;
  std::string folder;  ///< for the file
  std::string transport = "auto";
  int runs = 3;
  MachineOptions machine;
  double timeout_s = 3600;  ///< for one run
  OutputOptions output;
};

/// Adds all of them to the command; `formats` are the names for --format, which must outlive the line.
void add_io_options(CommandLine& line, IoOptions& options, std::span<const std::string_view> formats);

}  // namespace nasvm
