#pragma once
/// \file
/// Checkpoints that the user asked for: `nasvm run --checkpoint FILE --every N --restart FILE`.

#include <string>
#include <string_view>

#include "harness/document/fields.hpp"

namespace nasvm {

class CommandLine;
struct RunOptions;

struct CheckpointOptions {
  std::string save;        ///< path of the file; empty: none
  int every = 1;           ///< iterations
  std::string restart;     ///< path of the file to go on from; empty: from the beginning
  bool disk_rate = false;  ///< writes as much to the same disk in one sequence, too, to compare

  [[nodiscard]] bool any() const { return !save.empty() || !restart.empty(); }
};

void describe(Fields& fields, CheckpointOptions& options);

/// Adds them to a command whose other options are in `options`, too, and checks that they fit together: UsageError.
void add_checkpoint_options(CommandLine& line, RunOptions& options);

/// Among the details of runs that have written some: how fast.
inline constexpr std::string_view checkpoints_written = "checkpoints";

/// How records of such runs tell of it: runs that went on from a file are not to be compared with whole ones.
NamedTexts parameters_of(const CheckpointOptions& options);

}  // namespace nasvm
