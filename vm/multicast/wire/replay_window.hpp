#pragma once
/// \file
/// Which datagrams of one sender have been seen, by their counters: one that comes again is not taken again, and one
/// that is older than the window counts as seen. So a recorded datagram is worth nothing, whatever a protocol makes
/// of duplicates. As in IPsec (RFC 4303, section 3.4.3), with blocks that are forgotten as the window moves (RFC
/// 6479).

#include <array>
#include <cstddef>
#include <cstdint>

namespace nasvm::multicast {

class ReplayWindow {
 public:
  /// Counters behind the highest one that may still come. What is read from one socket after the other is out of
  /// order by as many datagrams as a socket's buffer holds.
  static constexpr std::uint64_t width = 8192;

  /// Notes a genuine datagram's counter. False: it has been there, or is too old to tell.
  bool is_new(std::uint64_t counter) {
    if (counter >= next_) {
      advance_to(counter);
    } else if (next_ - counter > width) {
      return false;
    }
    std::uint64_t& block = blocks_[block_of(counter)];
    const std::uint64_t bit = std::uint64_t{1} << (counter % block_bits);
    const bool seen = (block & bit) != 0;
    block |= bit;
    return !seen;
  }

 private:
  static constexpr std::uint64_t block_bits = 64;
  /// One more than the width needs: the newest one is only partly in use.
  static constexpr std::uint64_t blocks = width / block_bits + 1;

  static std::size_t block_of(std::uint64_t counter) { return counter / block_bits % blocks; }

  void advance_to(std::uint64_t counter) {
    const std::uint64_t last = next_ == 0 ? 0 : (next_ - 1) / block_bits;
    const std::uint64_t wanted = counter / block_bits;
    const std::uint64_t fresh = wanted - last < blocks ? wanted - last : blocks;
    for (std::uint64_t i = 1; i <= fresh; ++i) blocks_[(last + i) % blocks] = 0;
    next_ = counter + 1;
  }

  std::array<std::uint64_t, blocks> blocks_{};
  std::uint64_t next_ = 0;  ///< one above the highest counter seen
};

}  // namespace nasvm::multicast
