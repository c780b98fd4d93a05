#pragma once
/// \file
/// A buffer seen as consecutive blocks, one for each rank, and the steps that collectives make with blocks.
/// Lengths and offsets are in bytes.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "vm/comm.hpp"

namespace nasvm::collective {

class Blocks {
 public:
  /// Block r has `bytes[r]` bytes.
  explicit Blocks(std::span<const std::size_t> bytes);
  /// Blocks that differ by one unit at most, the longer ones first; borders stand at multiples of `unit`, and
  /// the last block takes what is no whole unit.
  static Blocks even(std::size_t total, int ranks, std::size_t unit);

  [[nodiscard]] int count() const { return static_cast<int>(offsets_.size()) - 1; }
  [[nodiscard]] std::size_t offset(int block) const { return offsets_[static_cast<std::size_t>(block)]; }
  [[nodiscard]] std::size_t bytes(int block) const { return offset(block + 1) - offset(block); }
  [[nodiscard]] std::size_t total() const { return offsets_.back(); }
  /// Length of `blocks` blocks from `first` on, going on with block 0 after the last.
  [[nodiscard]] std::size_t run_bytes(int first, int blocks) const;

  /// Block `block` of a buffer; the number is taken modulo the number of blocks and may be negative.
  template <typename Byte>
  [[nodiscard]] std::span<Byte> of(std::span<Byte> buffer, int block) const {
    const int index = wrap(block);
    return buffer.subspan(offset(index), bytes(index));
  }

 private:
  Blocks() = default;
  [[nodiscard]] int wrap(int block) const { return (block % count() + count()) % count(); }

  std::vector<std::size_t> offsets_;  ///< one more than there are blocks
};

/// Copies `from` to the front of `to`; nothing happens where they are the same memory or empty.
void copy_block(std::span<const std::byte> from, std::span<std::byte> to);

/// std::invalid_argument unless there is one block for each rank.
void check_block_count(const Comm& comm, std::span<const std::size_t> bytes);
/// std::invalid_argument unless the buffer holds what the counts say.
void check_buffer(std::size_t has_bytes, std::size_t needs_bytes);

/// Sends and receives at the same time; a direction without bytes has no message, which both of its ends must
/// know.
void exchange(Comm& comm, std::span<const std::byte> out, Rank to, std::span<std::byte> in, Rank from, Tag tag,
              std::uint8_t element_bytes);

/// Ring allgather: every rank starts with block `rank + shift` of `data` in place and ends with all blocks.
/// P - 1 rounds; a rank sends every block but the one after its own, empty ones excepted.
void ring_allgather(Comm& comm, std::span<std::byte> data, const Blocks& blocks, int shift, Tag tag,
                    std::uint8_t element_bytes);

}  // namespace nasvm::collective
