#pragma once
/// \file
/// What `nasvm io` runs, in which order: methods take turns, A B C, C B A, A B C, ... so that drift of the machine
/// and of the disk hits all alike.

#include <string>
#include <vector>

#include "harness/commands/io/options.hpp"

namespace nasvm {

/// One run: tasks that are started once, one method.
struct IoSpec {
  std::string method;
  int np = 1;
  std::uint64_t access_bytes = 0;
  std::uint64_t disk_bytes = 0;
  int repeat = 0;
};

std::vector<IoSpec> make_io_plan(const IoOptions& options);

}  // namespace nasvm
