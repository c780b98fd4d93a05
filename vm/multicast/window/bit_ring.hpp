#pragma once
/// \file
/// One bit for each packet of a window, found by sequence number: which have come, which are to leave again.
/// Searching costs a step for 64 packets. Nothing allocates after construction.

#include <cstdint>
#include <vector>

namespace nasvm::multicast {

class BitRing {
 public:
  /// Room for the packets of any stretch of `least_capacity`; all clear.
  explicit BitRing(std::uint32_t least_capacity);

  [[nodiscard]] std::uint32_t capacity() const { return mask_ + 1; }
  [[nodiscard]] bool test(std::uint32_t sequence) const { return (word(sequence) >> (sequence & 63) & 1) != 0; }
  void set(std::uint32_t sequence) { words_[(sequence & mask_) >> 6] |= bit(sequence); }
  void clear(std::uint32_t sequence) { words_[(sequence & mask_) >> 6] &= ~bit(sequence); }
  void clear(std::uint32_t from, std::uint32_t to);

  /// The first from `from` on, before `to`, whose bit is set or clear; `to` when there is none.
  [[nodiscard]] std::uint32_t first_set(std::uint32_t from, std::uint32_t to) const { return find(from, to, 0); }
  [[nodiscard]] std::uint32_t first_clear(std::uint32_t from, std::uint32_t to) const {
    return find(from, to, ~std::uint64_t{0});
  }

 private:
  static std::uint64_t bit(std::uint32_t sequence) { return std::uint64_t{1} << (sequence & 63); }
  [[nodiscard]] std::uint64_t word(std::uint32_t sequence) const { return words_[(sequence & mask_) >> 6]; }
  [[nodiscard]] std::uint32_t find(std::uint32_t from, std::uint32_t to, std::uint64_t inverted) const;

  std::uint32_t mask_;
  std::vector<std::uint64_t> words_;
};

}  // namespace nasvm::multicast
