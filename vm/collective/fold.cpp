#include "vm/collective/fold.hpp"

#include <algorithm>
#include <bit>

#include "vm/block_copy.hpp"
#include "vm/collective/costs.hpp"

namespace nasvm::collective {

Fold::Fold(int ranks, std::size_t bytes, const Reduction& op)
    : op_(op),
      ranks_(ranks),
      core_(static_cast<int>(std::bit_floor(static_cast<unsigned>(ranks)))),
      pairs_(ranks - core_),
      ring_(choose_allreduce(ranks, bytes, op.commutative) == AllreduceAlgorithm::ring),
      blocks_(Blocks::even(ring_ ? bytes : 0, ranks, op.operand_bytes)),
      chunk_bytes_(most_operand_bytes / op.operand_bytes * op.operand_bytes) {}

void Fold::combine(std::byte* lower, const std::byte* upper, std::size_t bytes) const {
  op_.combine(op_.op, lower, upper, bytes / op_.operand_bytes);
}

void Fold::leaf(int number, Operands operands, std::size_t place, std::size_t bytes, std::byte* result) const {
  const bool in_pair = number < pairs_;
  const auto rank = static_cast<std::size_t>(in_pair ? 2 * number : number + pairs_);
  copy_bytes(result, operands[rank] + place, bytes);
  if (in_pair) combine(result, operands[rank + 1] + place, bytes);
}

void Fold::subtree(int number, int count, Operands operands, std::size_t place, std::size_t bytes,
                   Chunk* result) const {
  if (count == 1) return leaf(number, operands, place, bytes, result->data());
  const int half = count / 2;
  subtree(number, half, operands, place, bytes, result);
  const int upper = number + half;
  if (half == 1 && upper >= pairs_) {
    return combine(result->data(), operands[static_cast<std::size_t>(upper + pairs_)] + place, bytes);
  }
  subtree(upper, half, operands, place, bytes, result + 1);
  combine(result->data(), result[1].data(), bytes);
}

void Fold::operator()(std::size_t offset, Operands operands, std::span<std::byte> result) {
  std::byte* const sum = chunks_[0].data();
  int block = 0;
  for (std::size_t place = 0; place < result.size();) {
    std::size_t bytes = std::min(chunk_bytes_, result.size() - place);
    if (ring_) {
      // Block b goes round from rank b on, and each adds its own on the left.
      while (blocks_.offset(block + 1) <= offset + place) ++block;
      bytes = std::min(bytes, blocks_.offset(block + 1) - offset - place);
      copy_bytes(sum, operands[static_cast<std::size_t>(block)] + place, bytes);
      for (int distance = 1; distance < ranks_; ++distance) {
        const auto rank = static_cast<std::size_t>((block + distance) % ranks_);
        op_.combine_reversed(op_.op, sum, operands[rank] + place, bytes / op_.operand_bytes);
      }
    } else {
      subtree(0, core_, operands, place, bytes, chunks_.data());
    }
    copy_bytes(result.data() + place, sum, bytes);
    place += bytes;
  }
}

}  // namespace nasvm::collective
