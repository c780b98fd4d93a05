// Binomial tree that combines neighbouring ranges of ranks, the lower range always on the left, so that an
// operation which is only associative gives what it gives in rank order.
//
// Round k: a task whose number has bit k set sends what it has to the number without that bit, and is done; the
// others combine. Numbers are counted from the root when the operation is commutative; otherwise the tree stands
// at rank 0, which sends the result on to the root.
// Steps: ceil(log2 P) (+ 1). Per rank: n bytes sent, at most ceil(log2 P) n received (root).

#include "vm/collective/collective.hpp"
#include "vm/collective/costs.hpp"
#include "vm/collective/scratch.hpp"
#include "vm/collective/tags.hpp"

namespace nasvm::collective {
namespace {

void binomial(Comm& comm, std::span<std::byte> inout, const Reduction& op, Rank root) {
  const int ranks = comm.size();
  const int number = (comm.rank() - root + ranks) % ranks;
  const auto rank_of = [&](int of_number) { return (of_number + root) % ranks; };
  Scratch received(inout.size());
  for (int distance = 1; distance < ranks; distance *= 2) {
    if ((number & distance) != 0) {
      comm.send_bytes(inout, rank_of(number - distance), reduce_tag, op.element_bytes);
      return;
    }
    if (number + distance >= ranks) continue;
    comm.recv_bytes(received.span(), rank_of(number + distance), reduce_tag, op.element_bytes);
    op.combine(op.op, inout.data(), received.span().data(), inout.size() / op.operand_bytes);
  }
}

}  // namespace

void reduce(Comm& comm, std::span<std::byte> inout, const Reduction& op, Rank root) {
  if (inout.empty() || comm.size() == 1) return;
  if (!reduces_by_way_of_zero(op.commutative, root)) {
    binomial(comm, inout, op, root);
    return;
  }
  binomial(comm, inout, op, 0);
  if (comm.rank() == 0) comm.send_bytes(inout, root, reduce_tag, op.element_bytes);
  if (comm.rank() == root) comm.recv_bytes(inout, 0, reduce_tag, op.element_bytes);
}

}  // namespace nasvm::collective
