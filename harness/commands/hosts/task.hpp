#pragma once
/// \file
/// What tasks do for `nasvm hosts --methods`: say by which transport they reach each other.

#include <string>

#include "vm/task.hpp"

namespace nasvm {

/// The text of this task's TaskMethods.
std::string describe_methods(Task& task);

}  // namespace nasvm
