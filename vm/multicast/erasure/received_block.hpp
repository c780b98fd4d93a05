#pragma once
/// \file
/// What a receiver has of one block: data pieces and repairs, in any order, each once, until there are as many
/// together as the block has pieces, and what is missing can be restored. Buffers are kept from block to block.

#include <cstdint>
#include <vector>

#include "vm/multicast/erasure/reed_solomon.hpp"

namespace nasvm::multicast::erasure {

class ReceivedBlock {
 public:
  /// Forgets all. `bytes` is the length of the whole block, cut into pieces of `piece_bytes`, the last of which may
  /// be shorter; an empty block is one empty piece.
  void reset(std::size_t bytes, std::size_t piece_bytes);

  [[nodiscard]] int pieces() const { return static_cast<int>(has_.size()); }
  [[nodiscard]] bool has(int index) const { return has_[static_cast<std::size_t>(index)]; }
  /// Of a piece that it has.
  [[nodiscard]] Piece piece(int index) const;
  /// How many pieces or repairs more it takes.
  [[nodiscard]] int lacking() const { return pieces() - present_ - static_cast<int>(repairs_.size()); }

  /// A piece, or a repair, has come. False when it is of no use: known, more than needed, or of a wrong length. One
  /// that leaves nothing lacking restores all pieces.
  bool add_piece(int index, Piece bytes, ReedSolomon& code);
  bool add_repair(int number, Piece bytes, ReedSolomon& code);

 private:
  struct KeptRepair {
    int number;
    std::vector<std::byte> bytes;
  };

  [[nodiscard]] std::span<std::byte> place_of(int index);
  void restore(ReedSolomon& code);

  std::size_t bytes_ = 0;
  std::size_t piece_bytes_ = 1;
  std::vector<std::byte> buffer_;
  std::vector<bool> has_;  ///< by index
  int present_ = 0;
  std::vector<KeptRepair> repairs_;
};

}  // namespace nasvm::multicast::erasure
