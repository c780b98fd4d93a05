#pragma once
/// \file
/// Whether a task should leave its core to the one that wakes it up.
///
/// Beside programs of others the system may put two tasks that wait for each other on one core, and leaves them
/// there: together they keep it busy, so no core looks idle, and who is woken is put where its waker runs. Then each
/// message costs a sleep and a wake-up, however short they look on. A task that has been woken from its own core many
/// times in a row, in quick succession, goes to another one for a while, and less often where that turns out to be in
/// vain. Pure logic; cores and times are given. Measured: docs/decisions/waiting.md, "Standing apart".

#include <chrono>

#include "vm/metrics/clock.hpp"

namespace nasvm {

class StandApart {
 public:
  enum class Advice { stay, leave, meet };

  /// How long a task should be kept from the core that it leaves: about one turn of the system's scheduler. Without,
  /// the system pulls it back as soon as that core has nothing to do. Measured: the note.
  static constexpr std::chrono::milliseconds stay_away{4};

  StandApart();

  /// The task has been woken by one that ran on core `waker`, and runs on `own`; negative: not known. `leave`: it
  /// should go to another core. `meet`: it should not, but the other one has gone from this core.
  Advice woken(int waker, int own, Ticks now);

 private:
  void judge_last_leave(Ticks now);

  unsigned from_own_core_ = 0;  ///< wake-ups in a row
  Ticks began_ = 0;             ///< with the first of them
  Ticks left_ = 0;              ///< last; 0: never
  bool away_ = false;           ///< and not woken from its own core since
  Ticks pause_;                 ///< from one leave to the next
};

}  // namespace nasvm
