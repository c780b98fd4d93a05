#pragma once
/// \file
/// `nasvm regress`: has anything really become slower? Two builds beside each other (builds.hpp), or saved documents
/// (saved.hpp). Facts that do not depend on the machine come first: results that are wrong, cases that are gone, more
/// messages, more volume (samples.hpp).

#include "harness/command.hpp"
#include "harness/commands/regress/launcher.hpp"

namespace nasvm {

/// Prints a line for each case and the conclusion, in the format asked for.
CommandRow regress_command(BuildLauncher launch);

}  // namespace nasvm
