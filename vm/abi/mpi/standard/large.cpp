#include "vm/abi/mpi/standard/large.hpp"

namespace nasvm::mpi::face {

int counts_at_root(void* comm, int root) {
  const Communicator* found = object<Communicator, Kind::comm>(comm);
  if (found == nullptr) return 0;
  const bool is_root = found->is_inter() ? root == root_here : root == found->rank();
  return is_root ? found->peers() : 0;
}

int own_ranks_of(void* comm) {
  const Communicator* found = object<Communicator, Kind::comm>(comm);
  return found == nullptr ? 0 : found->size();
}

}  // namespace nasvm::mpi::face
