#pragma once
/// \file
/// A shared file by MPI-IO, each access independent of the other tasks'.

#include <memory>
#include <string>

#include "vm/system/shared_file.hpp"

namespace nasvm {

/// Collective over MPI_COMM_WORLD. For writing: a new file, or an empty one. Throws RunError.
std::unique_ptr<SharedFile> open_mpi_file(const std::string& path, SharedFile::Access access);

}  // namespace nasvm
