// Pieces for some ranks and from some: all receives are posted, then all sends started, in the caller's order.
// Steps: 1. Per rank: each non-empty piece for another task is one message, sent once.

#include <vector>

#include "vm/collective/blocks.hpp"
#include "vm/collective/collective.hpp"
#include "vm/collective/tags.hpp"

namespace nasvm::collective {
namespace {

using Pieces = std::span<const Comm::Piece>;

/// The rank to which a piece is a copy: this task's own; -1 where the Comm is of another group.
Rank own_rank(const Comm& comm) { return comm.has_this_task() ? comm.rank() : -1; }

/// The pieces of this task for itself, in their order.
void copy_own(Rank own, Pieces out, Pieces in) {
  auto target = in.begin();
  for (const Comm::Piece& piece : out) {
    if (piece.rank != own || piece.bytes.empty()) continue;
    while (target != in.end() && (target->rank != own || target->bytes.empty())) ++target;
    if (target == in.end()) return;
    check_buffer(target->bytes.size(), piece.bytes.size());
    copy_block(piece.bytes, target->bytes);
    ++target;
  }
}

}  // namespace

void exchange_pieces(Comm& comm, Pieces out, Pieces in, std::uint8_t element_bytes) {
  const Rank own = own_rank(comm);
  const auto elements_of = [&](const Comm::Piece& piece) {
    return piece.element_bytes != 0 ? piece.element_bytes : element_bytes;
  };
  std::vector<Request> requests;
  requests.reserve(out.size() + in.size());
  for (const Comm::Piece& piece : in) {
    if (piece.rank == own || piece.bytes.empty()) continue;
    requests.push_back(comm.irecv_bytes(piece.bytes, piece.rank, exchange_tag, elements_of(piece)));
  }
  for (const Comm::Piece& piece : out) {
    if (piece.rank == own || piece.bytes.empty()) continue;
    requests.push_back(comm.isend_bytes(piece.bytes, piece.rank, exchange_tag, elements_of(piece)));
  }
  copy_own(own, out, in);
  comm.wait_all(requests);
}

}  // namespace nasvm::collective
