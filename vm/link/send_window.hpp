#pragma once
/// \file
/// Sending half of a channel: keeps written bytes until they are acknowledged, and knows of every piece when it
/// last left, whether it arrived, and whether it must leave again.
///
/// A piece (segment) is what one datagram carried. Losses are found from evidence (RFC 9002, section 6.1; RFC 8985):
/// a piece is lost when something transmitted at least `reordering_tolerance` transmissions later has arrived, or
/// anything later has arrived and it is older than a time threshold. Each transmission has an *order*, so
/// retransmissions are judged like first ones. Memory is bounded by the capacity and by `max_segments`; nothing
/// allocates in steady state and nothing blocks.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "vm/link/byte_ring.hpp"
#include "vm/link/wire.hpp"

namespace nasvm::link {

class SendWindow {
 public:
  static constexpr std::uint64_t reordering_tolerance = 3;

  /// What loss detection found.
  struct Losses {
    std::size_t segments = 0;
    std::uint64_t latest_order = 0;         ///< of the lost ones; valid when there are any
    std::optional<TimePoint> next_check{};  ///< when a piece that is merely late becomes lost
  };
  /// How a piece leaves: in a datagram of its own, or in one that other hosts get as well.
  enum class Way : std::uint8_t { alone, shared };
  /// A piece to transmit.
  struct Piece {
    std::uint64_t begin = 0;
    std::size_t bytes = 0;
  };

  SendWindow(std::size_t capacity, std::uint64_t first_offset, std::size_t max_segments);

  // --- the writer's side ---
  [[nodiscard]] std::size_t writable() const { return ring_.capacity() - (end_ - acknowledged_); }
  /// Copies at most `writable()` bytes; returns how many.
  std::size_t write(std::span<const std::byte> bytes);

  // --- what there is ---
  [[nodiscard]] std::uint64_t acknowledged() const { return acknowledged_; }  ///< all before it has arrived
  [[nodiscard]] std::uint64_t next() const { return next_; }                  ///< first offset never transmitted
  [[nodiscard]] std::size_t unsent() const { return end_ - next_; }
  [[nodiscard]] bool idle() const { return acknowledged_ == end_; }
  [[nodiscard]] bool outstanding() const { return acknowledged_ != next_; }
  [[nodiscard]] std::size_t in_flight() const { return in_flight_; }  ///< transmitted, not arrived, not lost
  [[nodiscard]] std::uint64_t end() const { return end_; }            ///< first offset never written
  [[nodiscard]] bool full() const { return count_ >= max_segments_; }
  [[nodiscard]] std::uint64_t next_order() const { return next_order_; }

  // --- transmitting ---
  [[nodiscard]] bool any_lost() const { return lost_count_ > 0; }
  /// The first lost piece, if any.
  [[nodiscard]] std::optional<Piece> first_lost();
  /// The oldest piece that has not arrived, lost or not.
  [[nodiscard]] std::optional<Piece> oldest_missing() const;
  /// Transmits `bytes` never transmitted before; returns where they begin.
  Piece transmit_new(std::size_t bytes, TimePoint now, Way way = Way::alone);
  /// Transmits the piece that begins at `begin` again.
  void transmit_again(std::uint64_t begin, TimePoint now);
  /// The piece that begins at `begin`, if it has left in a shared datagram, once, and has not arrived.
  [[nodiscard]] std::optional<Piece> shared_once(std::uint64_t begin) const;
  [[nodiscard]] bool is_lost(std::uint64_t begin) const;
  /// Copies the bytes from `begin` on.
  void load(std::uint64_t begin, std::span<std::byte> out) const { ring_.load(begin, out); }

  // --- what comes back ---
  /// The peer has everything before `cumulative` and all of `ranges` (checked: not beyond `next()`). Returns the
  /// bytes that were news. An arrival sooner after a retransmission than `min_round_trip` is that of an earlier
  /// transmission and no evidence against others.
  std::size_t acknowledge(std::uint64_t cumulative, std::span<const Range> ranges, TimePoint now,
                          Duration min_round_trip);
  /// The longest piece whose arrival the last `acknowledge` told; 0: none.
  [[nodiscard]] std::size_t longest_arrived() const { return longest_arrived_; }
  /// Pieces lost in shared datagrams since one has arrived so.
  [[nodiscard]] int shared_lost_in_a_row() const { return shared_lost_in_a_row_; }
  void forget_shared_losses() { shared_lost_in_a_row_ = 0; }
  Losses find_losses(TimePoint now, Duration threshold);
  /// Takes everything that has not arrived for lost.
  void lose_all();
  /// Cuts pieces longer than `max_bytes`; those that were on their way count as lost, since the path dropped them.
  void recut(std::size_t max_bytes);

 private:
  struct Segment {
    std::uint64_t begin = 0;
    std::uint64_t order = 0;  ///< of its latest transmission
    TimePoint sent{};
    std::uint32_t bytes = 0;
    bool arrived = false;
    bool lost = false;
    bool again = false;   ///< has been retransmitted
    bool shared = false;  ///< has left in a shared datagram

    [[nodiscard]] std::uint64_t end() const { return begin + bytes; }
  };

  [[nodiscard]] std::size_t slot(std::size_t index) const { return (head_ + index) & (segments_.size() - 1); }
  [[nodiscard]] Segment& at(std::size_t index) { return segments_[slot(index)]; }
  [[nodiscard]] const Segment& at(std::size_t index) const { return segments_[slot(index)]; }
  void append(const Segment& segment);
  void grow();
  /// Index of the first segment that begins at `offset` or later.
  [[nodiscard]] std::size_t first_from(std::uint64_t offset) const;
  std::size_t arrive(Segment& segment, TimePoint now, Duration min_round_trip);
  std::size_t drop_before(std::uint64_t cumulative, TimePoint now, Duration min_round_trip);
  std::size_t mark_range(const Range& range, TimePoint now, Duration min_round_trip);
  void lose(std::size_t index);

  ByteRing ring_;
  std::uint64_t acknowledged_;
  std::uint64_t next_;
  std::uint64_t end_;
  std::vector<Segment> segments_;  ///< a ring, its size a power of two; covers [acknowledged_, next_)
  std::size_t head_ = 0;
  std::size_t count_ = 0;
  std::size_t max_segments_;
  std::size_t in_flight_ = 0;
  std::size_t lost_count_ = 0;
  std::size_t arrived_count_ = 0;    ///< segments kept though they arrived, because something before them is missing
  std::size_t longest_arrived_ = 0;  ///< by the last `acknowledge`
  int shared_lost_in_a_row_ = 0;
  std::uint64_t lost_from_ = 0;  ///< no lost segment begins before this offset
  std::uint64_t next_order_ = 0;
  std::uint64_t latest_arrived_ = 0;  ///< one more than the highest order known to have arrived; 0: none
};

}  // namespace nasvm::link
