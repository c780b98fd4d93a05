#pragma once
/// \file
/// `nasvm info`: version, build, machine, dependencies, and what there is to run.

#include "harness/command.hpp"

namespace nasvm {

CommandRow info_command();

}  // namespace nasvm
