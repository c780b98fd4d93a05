#pragma once
/// \file
/// When a receiver asks for what it misses: at once, or when what was overtaken would have come, or after a random
/// while if others may ask before; again when a repair has had the time that repairs take, longer each time; and
/// carefully while there is no room for what comes.
///
/// What is due at one time goes into one NAK. The sender knows from the transmissions seen whether a NAK is late
/// (SendWindow), so asking too early costs a small packet and nothing else.

#include <random>
#include <span>
#include <vector>

#include "vm/link/rtt_estimator.hpp"
#include "vm/multicast/window/overtaking.hpp"
#include "vm/multicast/window/receive_window.hpp"
#include "vm/multicast/window/settings.hpp"

namespace nasvm::multicast {

class Requests {
 public:
  Requests(const Settings& settings, Node self, std::uint32_t capacity);

  /// These have left the sender, and have not come, as that transmission shows.
  void missed(Range range, std::uint32_t transmission, TimePoint now);
  /// Another receiver has asked for these: they are on their way as if this one had.
  void heard(Range range, const ReceiveWindow& window, TimePoint now);
  /// It came as that transmission, and there was no room.
  void refused(std::uint32_t sequence, std::uint32_t transmission, TimePoint now);
  /// It came as that transmission after it had been missed, and there was room.
  void found(std::uint32_t sequence, std::uint32_t transmission, TimePoint now);
  /// What was the next one came, and there was room.
  void taken(TimePoint now) { room(now); }
  /// There may be room again, where there was none.
  void room(TimePoint now);
  /// The sender wants to know all that is missing.
  void all_at_once(TimePoint now);

  /// When something is due; TimePoint::max(): never.
  [[nodiscard]] TimePoint deadline() const { return deadline_; }
  /// What to ask for now, as far as it fits; call it again while deadline() has come. Returns how many ranges.
  std::size_t collect(const ReceiveWindow& window, TimePoint now, std::span<Range> out);

 private:
  /// Of a packet that is missing.
  struct Slot {
    TimePoint missed{};  ///< since when
    TimePoint due{};
    TimePoint asked{};
    std::uint32_t shown = 0;  ///< by which transmission; what comes with an earlier number was overtaken
    int times = 0;
  };
  [[nodiscard]] Slot& slot(std::uint32_t sequence) { return slots_[sequence & (slots_.size() - 1)]; }
  [[nodiscard]] Duration patience(int times) const;
  [[nodiscard]] Duration random_wait();
  [[nodiscard]] bool is_due(const Slot& packet, TimePoint now) const;
  void ask(std::uint32_t sequence, TimePoint now);
  void wait_for_room(TimePoint now);
  std::size_t collect_one(const ReceiveWindow& window, TimePoint now, std::span<Range> out);
  std::size_t collect_due(const ReceiveWindow& window, TimePoint now, std::span<Range> out);

  Duration fixed_timeout_;
  Duration longest_wait_;  ///< for others' NAKs
  std::minstd_rand random_;
  link::RttEstimator repair_time_;
  Overtaking overtaking_;
  std::vector<Slot> slots_;
  TimePoint deadline_ = TimePoint::max();
  TimePoint ask_what_is_older_{};  ///< what was asked for before this is due
  int refusals_ = 0;               ///< rounds in a row in which there was no room
  TimePoint no_room_until_{};
};

}  // namespace nasvm::multicast
