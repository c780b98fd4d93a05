#pragma once
/// \file
/// Reads the result block that the NAS reference codes print (the layout that `--format npb` prints, too).

#include <optional>
#include <span>
#include <string>

namespace nasvm {

/// What a result block says. What it leaves out is 0 or empty.
struct NpbBlock {
  std::string kernel;  ///< "cg", from "CG Benchmark Completed."
  char problem_class = '?';
  int processes = 0;
  double time_s = 0;
  double mops = 0;
  bool verified = false;
  std::string version;
  std::string flags;  ///< FFLAGS or CFLAGS of the compile options
};

/// The block among the lines of a program's output; nothing when there is none with kernel, time and verification.
std::optional<NpbBlock> parse_npb_block(std::span<const std::string> lines);

/// The time in seconds with as many digits as the block can give. The codes print two decimals of the time, but the
/// speed in full: from `mega_operations` of the run comes the same time more exactly. Where the two do not agree
/// within the rounding of the printed time, that one stands.
double exact_time_s(const NpbBlock& block, double mega_operations);

}  // namespace nasvm
