#pragma once
/// \file
/// Congestion window: how many bytes may be on their way at once, so that a slow or shared path is not flooded.
///
/// Slow start, additive increase, multiplicative decrease at most once per round trip (RFC 5681; the bookkeeping by
/// order of transmission follows RFC 9002, section 7). Differences, because these paths are local: a reduction
/// is to 7/10, and the window never falls below `floor_datagrams` by losses. A path whose queue holds all that it is
/// sent loses nothing for long; there the time that datagrams wait in it reduces the window, down to `queued_floor_
/// datagrams` (after RFC 6817, section 2.4.2). A datagram's *order* is its number among the
/// transmissions that carried data.

#include <cstddef>
#include <cstdint>

namespace nasvm::link {

class Congestion {
 public:
  struct Options {
    std::size_t initial_datagrams = 4;  ///< on a slow medium all hosts may begin at once
    std::size_t floor_datagrams = 8;
    std::size_t queued_floor_datagrams = 2;
    std::size_t max_bytes = 0;
  };

  Congestion(const Options& options, std::size_t datagram_bytes);

  [[nodiscard]] std::size_t window() const { return window_; }
  /// May `bytes` more leave while `in_flight` are on their way? One datagram always may.
  [[nodiscard]] bool allows(std::size_t in_flight, std::size_t bytes) const {
    return in_flight == 0 || in_flight + bytes <= window_;
  }
  /// `bytes` arrived; `in_flight` were on their way just before.
  void on_acknowledged(std::size_t bytes, std::size_t in_flight);
  /// The same, but they have waited too long in the path's queue.
  void on_acknowledged_late(std::size_t bytes);
  /// Losses were seen, the latest with order `lost_order`; `next_order` is that of the next transmission. Returns
  /// whether this was a new event, hence a reduction.
  bool on_loss(std::uint64_t lost_order, std::uint64_t next_order);
  /// Nothing came back for long: start again from the floor.
  void on_timeout(std::uint64_t next_order);
  void set_datagram_bytes(std::size_t datagram_bytes);

 private:
  [[nodiscard]] std::size_t floor() const { return options_.floor_datagrams * datagram_bytes_; }

  Options options_;
  std::size_t datagram_bytes_;
  std::size_t window_;
  std::size_t threshold_;                ///< slow start ends here
  std::size_t credit_ = 0;               ///< bytes acknowledged towards the next additive step
  std::uint64_t recovering_before_ = 0;  ///< losses of earlier transmissions belong to the last event
};

}  // namespace nasvm::link
