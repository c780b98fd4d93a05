// Dissemination (D. Hensgen, R. Finkel, U. Manber, "Two Algorithms for Barrier Synchronization", IJPP 1988).
//
// Round k of ceil(log2 P): rank r sends an empty message to r + 2^k and waits for that of r - 2^k. After it,
// r knows that the 2^(k+1) ranks up to itself have come.
// Steps: ceil(log2 P). Per rank: ceil(log2 P) messages, no bytes. Works for every P.

#include "vm/collective/collective.hpp"
#include "vm/collective/tags.hpp"

namespace nasvm::collective {

void barrier(Comm& comm) {
  const int ranks = comm.size();
  for (int distance = 1; distance < ranks; distance *= 2) {
    const Rank to = (comm.rank() + distance) % ranks;
    const Rank from = (comm.rank() + ranks - distance) % ranks;
    comm.sendrecv_bytes({}, to, {}, from, barrier_tag);
  }
}

}  // namespace nasvm::collective
