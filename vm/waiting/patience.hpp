#pragma once
/// \file
/// How long a task or daemon that waits looks for its message before it sleeps, and when it offers its core to
/// others.
///
/// Three situations: the task has a core of its own (it polls, then sleeps); the program has more runnable threads
/// than cores (it looks, offers its core, looks again: whoever gets the core may be the one it waits for); programs
/// of others want the core (it looks on for no longer than a sleep costs, and only while answers come that soon: who
/// polls has used its share up when its message comes, and who offers its core gets it back after milliseconds, while
/// who wakes up goes first; spin_then_sleep.hpp). The first two are known at start;
/// the third is noticed by the time that this thread could have run and did not, and is forgotten after a while. Pure
/// logic: clock and that time are given. Measurements: docs/decisions/waiting.md.

#include <chrono>
#include <functional>

#include "vm/metrics/clock.hpp"
#include "vm/waiting/spin_then_sleep.hpp"

namespace nasvm {

class Patience {
 public:
  enum class Advice { look, yield, sleep };

  /// What a wait is for: something that looks at memory find, or other things as well.
  enum class Awaited { anything, through_memory };

  struct Options {
    std::chrono::nanoseconds spin{0};  ///< of looking in vain before sleeping; 0: sleep after one look
    bool crowded = false;              ///< the program has more runnable threads than cores
    /// `spin` may be stretched. On a core of its own, as long as that is not in vain, to three wake-ups, as they
    /// lately were: two tasks that have fallen asleep meet awake again only if one looks on while the other wakes up.
    /// And to milliseconds for what comes through memory: a core that has rested is slow to begin again. In a crowd,
    /// for that, too, however often it is in vain: who only offers its core keeps it from nobody.
    bool stretches = false;
  };

  /// How long this thread has wanted to run and has not, since it began.
  using RunDelay = std::function<std::chrono::nanoseconds()>;

  /// Without `run_delay` a task with a core of its own never notices anybody else.
  explicit Patience(const Options& options, RunDelay run_delay = {});

  /// A wait begins, and one look has not ended it.
  Advice begin(Awaited awaited = Awaited::anything);
  /// Looks to take before asking for advice.
  [[nodiscard]] unsigned looks() const { return disturbed_ ? 1 : looks_; }
  /// After `looks()` looks that have not ended the wait. `moved`: they have found something else.
  Advice advise(bool moved, Ticks now);
  /// A sleep has ended: this task has run again so long after it was woken.
  void woken_after(Ticks latency);
  /// Tasks that wait for each other have gone to other cores.
  void stands_apart() { spin_then_sleep_.forget_costs(); }
  /// Has the program more runnable threads than cores?
  [[nodiscard]] bool is_crowded() const { return crowded_; }
  /// Do others want the core, as far as has been noticed?
  [[nodiscard]] bool is_disturbed() const { return disturbed_; }

 private:
  Advice advise_crowded(bool moved, Ticks now);
  bool looks_on_for_longer(Ticks now, Ticks longest);
  void look_for_others(Ticks now);

  RunDelay run_delay_;
  bool crowded_;
  unsigned looks_;
  Ticks spin_;
  bool stretches_;
  Ticks wake_up_;  ///< follows the median of wake-ups on a core of its own
  Awaited awaited_ = Awaited::anything;
  bool longer_ = false;   ///< this wait has looked on for longer than usual, and has not slept
  unsigned in_vain_ = 0;  ///< waits that have done so and slept after it, in a row
  unsigned refused_ = 0;  ///< to others, since
  Ticks sleep_at_ = 0;    ///< when this wait goes to sleep; 0: not known yet
  Ticks asked_ = 0;       ///< when advice was last asked for
  Ticks measured_ = 0;    ///< when the run delay was last measured; 0: never
  std::chrono::nanoseconds delay_seen_{0};
  bool held_up_ = false;  ///< in the last window
  Ticks calm_at_ = 0;
  SpinThenSleep spin_then_sleep_;  ///< while programs of others want the core
  bool disturbed_ = false;
};

}  // namespace nasvm
