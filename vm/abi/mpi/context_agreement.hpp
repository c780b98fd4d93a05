#pragma once
/// \file
/// Which context a new communicator has whose tasks agree on it by messages among them alone.

#include <vector>

#include "vm/comm.hpp"

namespace nasvm::mpi {

/// The next context that is free on all of these ranks of a Comm, this one among them. Blocks until all have said
/// theirs.
[[nodiscard]] Context agree_on_context(Comm& comm, const std::vector<Rank>& members);

}  // namespace nasvm::mpi
