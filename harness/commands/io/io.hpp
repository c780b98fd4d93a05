#pragma once
/// \file
/// `nasvm io`: a file that all tasks share, written and read in small pieces, by several methods side by side.

#include "harness/command.hpp"
#include "harness/commands/io/executor.hpp"

namespace nasvm {

CommandRow io_command(IoExecutorFactory make_executor);

}  // namespace nasvm
