#pragma once
/// \file
/// Where mpirun is, for all that start it.

#include <string>
#include <string_view>

namespace nasvm::mpirun {

/// Path of mpirun. Throws UsageError when it is not in PATH; `needed_by` ("transport mpi") says for what it is
/// missing.
std::string find_program(std::string_view needed_by);

/// Throws UsageError where mpirun would read more than a name in this one.
void check_host_name(std::string_view name);

}  // namespace nasvm::mpirun
