#pragma once
/// \file
/// Where mpirun is, for all that start it.

#include <string>
#include <string_view>

namespace nasvm::mpirun {

/// Path of mpirun. Throws UsageError when it is not in PATH; `needed_by` ("transport mpi") says for what it is
/// missing.
std::string find_program(std::string_view needed_by);

}  // namespace nasvm::mpirun
