#pragma once
/// \file
/// `nasvm vm`: machines that are kept between runs. With an action it is carried out; without one, actions are read
/// from standard input.

#include <iosfwd>

#include "harness/command.hpp"

namespace nasvm {

/// `input`: what actions are read from; outlives the command.
CommandRow vm_command(std::istream& input);
/// The process's standard input.
CommandRow vm_command();

}  // namespace nasvm
