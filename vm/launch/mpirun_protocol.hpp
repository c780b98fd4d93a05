#pragma once
/// \file
/// What mpirun's console and its tasks say to each other. The order goes through the environment. Tasks write lines
/// to standard error, each at once: the prefix, then a JSON object: {"rank", "pid", "host"} when they have joined,
/// {"rank", "exit", "text"} when they give up. In the end rank 0 writes one line to standard output, and it alone
/// writes there: the prefix, then a JSON array of what each rank has reported.

#include <string_view>

namespace nasvm::mpirun {

/// The environment variable of the order: {"setup", "native_collectives"}.
inline constexpr const char* order_variable = "NASVM_MPI_ORDER";
inline constexpr std::string_view line_prefix = "nasvm-mpi ";

}  // namespace nasvm::mpirun
