#pragma once
/// \file
/// Combines the vectors of all ranks in one place, in the order in which the algorithms of allreduce.cpp do, so that
/// the result has the same bits.

#include <array>
#include <cstddef>
#include <span>

#include "vm/collective/blocks.hpp"
#include "vm/reduction.hpp"

namespace nasvm::collective {

class Fold {
 public:
  /// Longest operand.
  static constexpr std::size_t most_operand_bytes = 1024;
  using Operands = std::span<const std::byte* const>;

  /// Of vectors of `bytes` bytes. `op` has to outlive this.
  Fold(int ranks, std::size_t bytes, const Reduction& op);

  /// `operands[r]`: rank r's elements from byte `offset` of its vector on. Fills `result`, which may be one of them.
  void operator()(std::size_t offset, Operands operands, std::span<std::byte> result);

 private:
  static constexpr int most_levels = 16;
  using Chunk = std::array<std::byte, most_operand_bytes>;

  void subtree(int number, int count, Operands operands, std::size_t place, std::size_t bytes, Chunk* result) const;
  void leaf(int number, Operands operands, std::size_t place, std::size_t bytes, std::byte* result) const;
  void combine(std::byte* lower, const std::byte* upper, std::size_t bytes) const;

  const Reduction& op_;
  int ranks_;
  int core_;  ///< as allreduce.cpp: the power of two ranks that take part in the doubling
  int pairs_;
  bool ring_;
  Blocks blocks_;  ///< of the ring
  std::size_t chunk_bytes_;
  alignas(64) std::array<Chunk, most_levels> chunks_;  ///< one for each level of the tree
};

}  // namespace nasvm::collective
