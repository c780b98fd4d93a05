#pragma once
/// \file
/// Finds out that a path swallows long datagrams without a word: an MTU on the way, or the peer's, is less than this
/// host's own, and no message says so (RFC 8899, section 4.3).
///
/// Long is what the next shorter length would spare. A path is suspected while long datagrams have to leave again and
/// again though the peer has answered in between, and none that long arrives. A peer that is paused, dead or cut off
/// does not answer, so it does not shorten anything. Logic alone, as all of a channel.

#include <cstddef>
#include <limits>
#include <optional>

#include "vm/link/wire.hpp"

namespace nasvm::link {

class BlackHole {
 public:
  explicit BlackHole(std::size_t datagram_bytes) { set_datagram_bytes(datagram_bytes); }

  /// The longest datagrams have another length (as everywhere here: UDP payload). What was suspected is forgotten.
  void set_datagram_bytes(std::size_t bytes);
  /// The length to try when the present one proves too long; nothing: there is none.
  [[nodiscard]] std::optional<std::size_t> shorter() const { return shorter_; }
  [[nodiscard]] bool is_long(std::size_t bytes) const { return shorter_ && bytes > *shorter_; }

  /// A datagram of that length leaves.
  void sent(std::size_t bytes, TimePoint now) {
    if (is_long(bytes)) sent_at_ = now;
  }
  /// The peer has answered something.
  void answered(TimePoint now) { answered_at_ = now; }
  /// The longest of those that have arrived, as the peer says.
  void arrived(std::size_t bytes) {
    if (bytes >= suspected_bytes_) acquit();
  }
  /// A datagram of that length is about to leave again. True: no more so long, the path swallows it. `timeout`: after
  /// which an answer is overdue.
  [[nodiscard]] bool swallows(std::size_t bytes, TimePoint now, Duration timeout);

 private:
  void acquit();

  std::optional<std::size_t> shorter_;
  TimePoint sent_at_{};      ///< the latest long one
  TimePoint answered_at_{};  ///< the peer's latest answer
  int strikes_ = 0;          ///< long ones that had to leave again although the peer has answered since the last one
  TimePoint suspected_since_{};
  std::size_t suspected_bytes_ = std::numeric_limits<std::size_t>::max();  ///< the shortest of them
};

}  // namespace nasvm::link
