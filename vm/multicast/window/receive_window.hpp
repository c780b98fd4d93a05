#pragma once
/// \file
/// The receiver's window: which packets have come, beyond those before which nothing is missing, and which are known
/// to have left the sender. Nothing allocates after construction.

#include "vm/multicast/window/bit_ring.hpp"
#include "vm/multicast/window/sequence.hpp"

namespace nasvm::multicast {

class ReceiveWindow {
 public:
  explicit ReceiveWindow(std::uint32_t packets) : packets_(packets), come_(packets) {}

  [[nodiscard]] std::uint32_t next() const { return next_; }    ///< everything before it has come
  [[nodiscard]] std::uint32_t known() const { return known_; }  ///< everything before it has left the sender
  [[nodiscard]] std::uint32_t capacity() const { return come_.capacity(); }
  /// Can a sender with a window as long as this have sent it?
  [[nodiscard]] bool fits(std::uint32_t sequence) const { return sequence - next_ < packets_; }
  [[nodiscard]] bool has(std::uint32_t sequence) const {
    return before(sequence, next_) || (before(sequence, known_) && come_.test(sequence));
  }
  [[nodiscard]] bool has_gaps() const { return next_ != known_; }

  /// Everything before `sequence` has left: at most the window's length beyond next(). Returns what is news of that.
  Range know(std::uint32_t sequence) {
    if (!before(known_, sequence)) return {known_, 0};
    const Range news{known_, sequence - known_};
    known_ = sequence;
    return news;
  }
  /// A packet that fits() has come, and is known() to have left.
  void come(std::uint32_t sequence) {
    if (sequence == next_ && known_ - next_ == 1) {  // nearly always: no bit of it needs to be kept
      ++next_;
      return;
    }
    come_.set(sequence);
    if (sequence != next_) return;
    const std::uint32_t gap = come_.first_clear(next_, known_);
    come_.clear(next_, gap);
    next_ = gap;
  }
  /// The first stretch of packets from `from` on that are known to have left and have not come. None: count is 0.
  [[nodiscard]] Range missing(std::uint32_t from) const {
    const std::uint32_t first = come_.first_clear(from, known_);
    return {first, come_.first_set(first, known_) - first};
  }

 private:
  std::uint32_t packets_;
  std::uint32_t next_ = 0;
  std::uint32_t known_ = 0;
  BitRing come_;
};

}  // namespace nasvm::multicast
