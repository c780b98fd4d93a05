#pragma once
/// \file
/// Flow control of requests between this task and another one: how much each has been asked for and has not carried
/// out. Pure bookkeeping, in units of 64 bytes (docs/decisions/remote-service-requests.md).

#include <cstddef>
#include <cstdint>
#include <utility>

namespace nasvm::service {

class Account {
 public:
  using Units = std::uint64_t;
  static constexpr std::size_t unit_bytes = 64;
  /// What a request with so much data takes.
  static constexpr Units cost(std::uint64_t bytes) { return 1 + (bytes + unit_bytes - 1) / unit_bytes; }

  // What this task has asked for.

  [[nodiscard]] bool has_room_for(Units units, Units window) const {
    return outstanding_ == 0 || outstanding_ + units <= window;
  }
  void made(Units units) {
    if (!forgotten_) outstanding_ += units;
  }
  [[nodiscard]] bool all_carried_out() const { return outstanding_ == 0; }
  /// Half of the window is in use and the other task does not know that room is wanted: it should be told now.
  [[nodiscard]] bool should_ask(Units window) { return 2 * outstanding_ > window && ask(); }
  /// False: it has been asked already.
  [[nodiscard]] bool ask() { return !std::exchange(asked_, true); }
  void given_back(Units units, bool replies) {
    outstanding_ -= units < outstanding_ ? units : outstanding_;
    if (replies) asked_ = false;
  }
  /// The other task has ended.
  void close() { *this = {}; }

  /// It carries out nothing any more, and nothing that it is asked for counts. What has come from it is carried out
  /// all the same.
  void forget() {
    outstanding_ = 0;
    asked_ = false;
    forgotten_ = true;
  }
  [[nodiscard]] bool is_forgotten() const { return forgotten_; }

  // What it has asked for.

  void came() { ++waiting_; }
  void carried_out(Units units) {
    --waiting_;
    owed_ += units;
  }
  void was_asked() { wanted_ = true; }
  /// It waits for room, and all that has come from it is done.
  [[nodiscard]] bool reply_due() const { return wanted_ && waiting_ == 0; }
  [[nodiscard]] bool owes() const { return owed_ != 0; }
  /// What goes with the next head.
  [[nodiscard]] std::uint32_t take_owed() { return static_cast<std::uint32_t>(std::exchange(owed_, 0)); }
  /// May the next head say that the question is answered? Asked once.
  [[nodiscard]] bool take_reply() { return reply_due() && std::exchange(wanted_, false); }

 private:
  Units outstanding_ = 0;
  bool asked_ = false;
  std::uint64_t waiting_ = 0;
  Units owed_ = 0;
  bool wanted_ = false;
  bool forgotten_ = false;
};

}  // namespace nasvm::service
