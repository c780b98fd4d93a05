#pragma once
/// \file
/// What `nasvm io` runs, in which order: methods take turns, A B C, C B A, A B C, ... so that drift of the machine
/// and of the disk hits all alike.

#include <filesystem>
#include <string>
#include <vector>

#include "harness/commands/io/options.hpp"

namespace nasvm {

/// One run: tasks that are started once, one method.
struct IoSpec {
  std::string method;
  std::string pattern = "elements";
  int np = 1;
  int grid = 0;  ///< elements in each direction, where the pattern has a grid
  std::uint64_t access_bytes = 0;
  std::uint64_t data_bytes = 0;  ///< caches of each task
  std::uint64_t disk_bytes = 0;
  bool preload = true;
  std::string table{};  ///< of the paper (paper/tables.hpp); empty: none
  int repeat = 0;
};

/// What the options ask for: the paper's tables, or each pattern with each number of tasks.
std::vector<IoSpec> make_io_plan(const IoOptions& options);

/// Throws UsageError when the disk of --dir has no space for a file of the plan. Other hosts may have another disk
/// there, and are not judged.
void check_space(const IoOptions& options, const std::filesystem::space_info& space);

}  // namespace nasvm
