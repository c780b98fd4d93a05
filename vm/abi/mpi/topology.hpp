#pragma once
/// \file
/// Topologies: coordinates in grids, and whose messages go where (MPI-3.1, chapter 7).

#include <vector>

#include "vm/abi/mpi/communicator.hpp"

namespace nasvm::mpi {

/// Fails where the communicator has none of that kind.
const Topology& topology_of(const Communicator* comm, TopologyKind kind);

std::vector<int> coordinates_of(const Topology& grid, int rank);
/// proc_null: outside.
int rank_at(const Topology& grid, std::vector<int> coordinates);

/// The neighbours that a task hears from and sends to, in the order of neighbourhood collectives; proc_null where a
/// grid ends.
struct Neighbours {
  std::vector<int> sources, destinations;
};
Neighbours neighbours_of(const Communicator& comm);

}  // namespace nasvm::mpi
