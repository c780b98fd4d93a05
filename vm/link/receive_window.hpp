#pragma once
/// \file
/// Receiving half of a channel: puts payload in order, holds what came early, and says what has arrived.
///
/// Memory is bounded by the capacity and by the number of separate early ranges; what would exceed either is refused
/// and comes again by retransmission. What was accepted is never given up. Nothing blocks or allocates.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "vm/link/byte_ring.hpp"
#include "vm/link/wire.hpp"

namespace nasvm::link {

class ReceiveWindow {
 public:
  enum class Verdict {
    advanced,   ///< readable bytes have been added
    held,       ///< new, but something before it is missing
    duplicate,  ///< had arrived before
    refused,    ///< beyond the window, or too many gaps
  };

  ReceiveWindow(std::size_t capacity, std::uint64_t first_offset, std::size_t max_held_ranges);

  Verdict accept(std::uint64_t begin, std::span<const std::byte> payload);

  /// In-order bytes not yet consumed, as far as they lie in one piece.
  [[nodiscard]] std::span<const std::byte> readable() const;
  void consume(std::size_t bytes);

  /// Everything before this offset has arrived.
  [[nodiscard]] std::uint64_t next() const { return next_; }
  /// First offset that does not fit. Never decreases.
  [[nodiscard]] std::uint64_t right_edge() const { return consumed_ + ring_.capacity(); }
  [[nodiscard]] std::size_t capacity() const { return ring_.capacity(); }
  [[nodiscard]] bool has_gaps() const { return !held_.empty(); }
  /// Ranges held beyond `next()`, the latest first, then the others in turn from call to call, so that
  /// a lost acknowledgement hides none of them for long. Returns how many were written.
  std::size_t report(std::span<Range> out);

 private:
  [[nodiscard]] bool holds(std::uint64_t begin, std::uint64_t end) const;
  bool hold(std::uint64_t begin, std::uint64_t end);
  void absorb_held();
  [[nodiscard]] std::vector<Range>::iterator first_reaching(std::uint64_t offset);

  ByteRing ring_;
  std::uint64_t consumed_;
  std::uint64_t next_;
  std::vector<Range> held_;  ///< ascending, apart from each other
  std::size_t max_held_ranges_;
  std::uint64_t latest_ = 0;  ///< begin of the payload held last
  std::size_t report_cursor_ = 0;
};

}  // namespace nasvm::link
