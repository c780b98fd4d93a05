#pragma once
/// \file
/// A message cut into blocks of pieces, for each of which repairs are made: as few blocks as can be, and all about
/// equally long, because short ones need more repairs for their length. Pure arithmetic.

#include <algorithm>
#include <cstdint>

#include "vm/multicast/window/sequence.hpp"

namespace nasvm::multicast::erasure {

class Layout {
 public:
  Layout() = default;
  /// `first`: sequence number of the message's first piece; `most_pieces`: of a block.
  Layout(std::uint32_t first, std::uint64_t message_bytes, std::size_t piece_bytes, int most_pieces)
      : first_(first), message_bytes_(message_bytes), piece_bytes_(piece_bytes) {
    pieces_ = std::max<std::uint64_t>(1, message_bytes / piece_bytes + (message_bytes % piece_bytes != 0 ? 1 : 0));
    blocks_ = (pieces_ - 1) / static_cast<std::uint64_t>(most_pieces) + 1;
  }

  [[nodiscard]] std::uint64_t message_bytes() const { return message_bytes_; }
  [[nodiscard]] std::uint64_t pieces() const { return pieces_; }
  [[nodiscard]] std::uint32_t blocks() const { return static_cast<std::uint32_t>(blocks_); }
  [[nodiscard]] std::uint32_t first() const { return first_; }
  /// The sequence number after the last piece's.
  [[nodiscard]] std::uint32_t end() const { return first_ + static_cast<std::uint32_t>(pieces_); }
  [[nodiscard]] bool contains(std::uint32_t sequence) const { return sequence - first_ < pieces_; }
  /// Of a piece of the message.
  [[nodiscard]] std::uint32_t block_of(std::uint32_t sequence) const {
    const std::uint64_t index = sequence - first_;
    return static_cast<std::uint32_t>(((index + 1) * blocks_ - 1) / pieces_);
  }
  [[nodiscard]] Range range(std::uint32_t block) const {
    const auto begin = static_cast<std::uint32_t>(pieces_ * block / blocks_);
    const auto end = static_cast<std::uint32_t>(pieces_ * (block + 1) / blocks_);
    return {first_ + begin, end - begin};
  }
  /// Where in the message a piece begins.
  [[nodiscard]] std::uint64_t offset(std::uint32_t sequence) const {
    return std::uint64_t{sequence - first_} * piece_bytes_;
  }
  /// Length of a block.
  [[nodiscard]] std::size_t bytes(std::uint32_t block) const {
    const Range pieces = range(block);
    return std::min(message_bytes_ - offset(pieces.first), std::uint64_t{pieces.count} * piece_bytes_);
  }

 private:
  std::uint32_t first_ = 0;
  std::uint64_t message_bytes_ = 0;
  std::size_t piece_bytes_ = 1;
  std::uint64_t pieces_ = 1;
  std::uint64_t blocks_ = 1;
};

}  // namespace nasvm::multicast::erasure
