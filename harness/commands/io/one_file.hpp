#pragma once
/// \file
/// Whether a path names one file for all tasks: hosts may have a folder of that name each.

#include <string>

#include "vm/comm.hpp"

namespace nasvm {

/// A file that is beside the one of that path while tasks look for it.
std::string mark_beside(const std::string& path);

/// Task 0 makes the mark, all others look for it, and it is gone again when any of them returns. Returns the first
/// task that does not see it, the same to all; the number of tasks where all do. Collective. Throws RunError when
/// task 0 cannot make it.
int first_without(Comm& comm, const std::string& path);

}  // namespace nasvm
