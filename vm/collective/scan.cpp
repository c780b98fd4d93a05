// Recursive doubling (W. D. Hillis, G. L. Steele, "Data Parallel Algorithms", CACM 1986, on partial sums).
//
// Before round k a task holds the result over the 2^k ranks up to itself. It sends that to rank + 2^k and puts
// what rank - 2^k sends in front of its own, so rank order is kept and one buffer suffices.
// Steps: ceil(log2 P). Per rank: at most ceil(log2 P) n bytes; all together the sum of (P - 2^k) n.

#include "vm/collective/blocks.hpp"
#include "vm/collective/collective.hpp"
#include "vm/collective/scratch.hpp"
#include "vm/collective/tags.hpp"

namespace nasvm::collective {

void scan(Comm& comm, std::span<std::byte> inout, const Reduction& op) {
  const int ranks = comm.size();
  if (inout.empty() || ranks == 1) return;
  Scratch scratch(inout.size());
  for (int distance = 1; distance < ranks; distance *= 2) {
    const Rank to = comm.rank() + distance;
    const Rank from = comm.rank() - distance;
    const std::span<const std::byte> out = to < ranks ? inout : inout.first(0);
    const std::span<std::byte> lower = from >= 0 ? scratch.span() : scratch.span().first(0);
    exchange(comm, out, to, lower, from, scan_tag, op.element_bytes);
    if (lower.empty()) continue;
    op.combine_reversed(op.op, inout.data(), lower.data(), inout.size() / op.operand_bytes);
  }
}

}  // namespace nasvm::collective
