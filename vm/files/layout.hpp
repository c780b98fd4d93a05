#pragma once
/// \file
/// Which task is responsible for which block of a file: wrap-mapped. With owners o0, o1, ... o(n-1), block b belongs
/// to o(b mod n), or so many blocks together to one: to o((b / together) mod n). Positions and lengths are in bytes,
/// 64 bits throughout.
///
/// Source: D'Azevedo and Romine, EDONIO: Extended Distributed Object Network I/O Library, section 4.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace nasvm::files {

/// The last position a file can have is off_t's.
inline constexpr std::uint64_t longest_file = INT64_MAX;

class Layout {
 public:
  /// One owner at least; the first may own any number of files' first blocks.
  Layout(std::size_t block_bytes, std::vector<int> owners, std::uint64_t together = 1)
      : block_bytes_(block_bytes),
        shift_(std::has_single_bit(block_bytes) ? std::countr_zero(block_bytes) : 0),
        owners_(std::move(owners)),
        together_(together) {}

  [[nodiscard]] std::size_t block_bytes() const { return block_bytes_; }
  [[nodiscard]] std::span<const int> owners() const { return owners_; }
  [[nodiscard]] std::uint64_t block_of(std::uint64_t position) const {
    return shift_ != 0 ? position >> shift_ : position / block_bytes_;
  }
  [[nodiscard]] std::uint64_t begin_of(std::uint64_t block) const { return block * block_bytes_; }
  [[nodiscard]] std::uint64_t end_of(std::uint64_t block) const { return begin_of(block) + block_bytes_; }
  [[nodiscard]] int owner_of(std::uint64_t block) const {
    if (owners_.size() == 1) return owners_[0];
    if (together_ != 1) block /= together_;
    return owners_[static_cast<std::size_t>(block % owners_.size())];
  }
  [[nodiscard]] bool owns(int task) const { return std::find(owners_.begin(), owners_.end(), task) != owners_.end(); }

  /// Calls `visit(block, position, bytes)` for each part of a range, which blocks cut.
  template <typename Visit>
  void for_each_part(std::uint64_t position, std::uint64_t bytes, Visit visit) const {
    while (bytes > 0) {
      const std::uint64_t block = block_of(position);
      const std::uint64_t part = std::min(bytes, end_of(block) - position);
      visit(block, position, static_cast<std::size_t>(part));
      position += part;
      bytes -= part;
    }
  }

 private:
  std::size_t block_bytes_;
  int shift_;  ///< of lengths that are powers of two, as is usual: dividing takes as long as a small access. 0:
               ///< others
  std::vector<int> owners_;
  std::uint64_t together_;
};

}  // namespace nasvm::files
