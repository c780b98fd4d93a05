#pragma once
/// \file
/// `nasvm compare`: tables of saved results, side by side.

#include "harness/command.hpp"

namespace nasvm {

/// Reads the documents of every command that makes some, and shows them with that command's view. Exit::failed when a
/// result was wrong.
CommandRow compare_command();

}  // namespace nasvm
