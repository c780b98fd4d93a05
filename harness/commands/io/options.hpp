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

struct PaperTable;

/// `nasvm io`.
struct IoOptions {
  std::vector<std::string> methods;
  std::vector<int> np;
  std::vector<std::string> patterns;
  int grid = 100;
  std::uint64_t block_bytes = 0;
  std::vector<std::uint64_t> accesses;
  std::uint64_t data_bytes = 0;
  std::vector<std::uint64_t> disk_bytes;  ///< disk caches of each task: those that are tried
  bool preload = true;
  bool sync = true;
  bool drop_cache = false;
  std::string folder;         ///< for the file
  bool names_folder = false;  ///< was it asked for?
  std::string mounted;        ///< where each host has that folder by a network file system; empty: nowhere
  std::string report;         ///< folder for the paper's tables, which are measured then instead; empty: none
  std::vector<const PaperTable*> tables;
  bool quick = false;  ///< smaller ones
  std::string transport = "auto";
  int runs = 3;
  MachineOptions machine;
  double timeout_s = 3600;  ///< for one run
  OutputOptions output;
};

/// Adds all of them to the command; `formats` are the names for --format, which must outlive the line.
void add_io_options(CommandLine& line, IoOptions& options, std::span<const std::string_view> formats);

}  // namespace nasvm
