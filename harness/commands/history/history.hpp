#pragma once
/// \file
/// `nasvm history`: one figure over the documents of a folder, commit by commit, with a plot.

#include "harness/command.hpp"

namespace nasvm {

/// Prints an overview of all cases, or a line for each document of those that were asked for.
CommandRow history_command();

}  // namespace nasvm
