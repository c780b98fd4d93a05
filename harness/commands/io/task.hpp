#pragma once
/// \file
/// What a task of an io run does: the appendix program of D'Azevedo and Romine, EDONIO: Extended Distributed Object
/// Network I/O Library. The file has the eight vertices (integers of 4 bytes) of each element of a grid of n x n x n
/// hexahedra, z fastest, then x, then y. Columns of elements are dealt out to tasks one by one; each task writes its
/// own, in accesses of so many bytes, and reads them back.

#include <string>
#include <string_view>

#include "vm/task.hpp"

namespace nasvm {

/// Carries out an IoOrder; returns the report. Collective. Throws UsageError and RunError.
std::string measure_io(std::string_view order, Task& task);

}  // namespace nasvm
