#pragma once
/// \file
/// Whether a task looks on for its message, and for how long, while programs of others want the core: two-phase
/// waiting, steered by what has been measured.
///
/// A wait looks on for at most what sleeping costs, then sleeps: so it never takes more than twice the best (the
/// ski-rental argument). Sleeping costs the wake-up of this task, and often that of the peer, who has fallen asleep
/// for want of our answer; both are taken to be as long as own wake-ups lately were. Where looking on has cost more
/// than sleeping at once would have (the peer waits for this very core, or computes), waits sleep at once, and one in
/// 64 tries again; as long as none of those that look on comes to sleep, the next one does so, too.
///
/// Sources: A. C. Arpaci-Dusseau, Implicit Coscheduling: Coordinated Scheduling with Implicit Information in
/// Distributed Systems, ACM TOCS 19(3), 2001, section 4 (spin for a round trip and the wake-up of the peer, then
/// block); A. R. Karlin, K. Li, M. S. Manasse, S. Owicki, Empirical Studies of Competitive Spinning for a
/// Shared-Memory Multiprocessor, SOSP 1991. Pure logic; times are given. Measured: docs/decisions/waiting.md.

#include "vm/metrics/clock.hpp"

namespace nasvm {

class SpinThenSleep {
 public:
  SpinThenSleep();

  /// A wait begins, and the last one has ended. False: sleep at once.
  bool begin();
  /// The message has not come until now. `moved`: something else has. False: sleep.
  bool goes_on(bool moved, Ticks now);
  /// This task has run again so long after it was woken.
  void woken_after(Ticks latency);
  /// Tasks that wait for each other have gone to other cores: what looking on has cost says nothing any more.
  void forget_costs() { cost_ = 0; }
  /// For so long a wait looks on.
  [[nodiscard]] Ticks longest() const { return 2 * wake_up_; }

 private:
  void learn(Ticks cost);

  Ticks wake_up_;            ///< follows the median of wake-ups
  Ticks cost_ = 0;           ///< of looking on, lately, and of sleeping after it when that was in vain
  Ticks begun_ = 0;          ///< the wait; 0: before the first call of goes_on
  Ticks seen_ = 0;           ///< when goes_on was last called in this wait
  bool looking_on_ = false;  ///< the wait has not come to sleep
  unsigned asleep_at_once_ = 0;
};

}  // namespace nasvm
