#pragma once
/// \file
/// Which of many short calls the clock is read for. Reading it twice takes longer than starting a short message
/// through memory does (19 ns on a Zen 4), so of calls of one kind that are over so soon one is timed and stands for
/// those that follow it. What takes longer is always timed.

#include "vm/metrics/clock.hpp"

namespace nasvm {

/// Calls of one kind, say sends. Pure logic.
class QuickCalls {
 public:
  /// A timed one, and those that it stands for.
  static constexpr unsigned represented = 16;
  static constexpr std::chrono::nanoseconds longest{100};

  /// A call begins. True: it is taken to be as quick as the last that was timed, unless it finds something to do that
  /// takes longer.
  bool may_go_untimed() {
    if (left_ == 0) return false;
    --left_;
    return true;
  }
  /// A timed call has ended.
  void took(Ticks time) {
    static const Ticks limit = to_ticks(longest);
    if (time > limit) return;
    usual_ = time;
    left_ = represented - 1;
  }
  /// Of a call that went untimed.
  [[nodiscard]] Ticks usual() const { return usual_; }

 private:
  unsigned left_ = 0;
  Ticks usual_ = 0;
};

}  // namespace nasvm
