#pragma once
/// \file
/// How a task waits, and on how many cores of its own: chosen once, by who shares its computer. Pure logic; what a
/// wait then does is Patience's. Reasons and measurements: docs/decisions/waiting.md.

#include <chrono>
#include <optional>

#include "vm/binding.hpp"
#include "vm/waiting/patience.hpp"

namespace nasvm {

/// How long a task polls before it sleeps when every runnable task has a core: somewhat above what being woken costs
/// (a few microseconds to some tens; the ski-rental argument of the note). Chosen, not measured.
inline constexpr std::chrono::microseconds spin_on_own_core{100};

/// The same when there are more tasks than cores, and each offers its core after every look: enough for the others on
/// that core to have their turns where messages are short and frequent. Measured: the note, "Time to yield in a
/// crowd".
inline constexpr std::chrono::microseconds spin_in_crowd{20};

/// The same when only the daemons make it a crowd: more than a round trip through a daemon takes while all have to be
/// woken. Otherwise who once sleeps keeps the others waiting until they sleep, too, and so on without end. Measured:
/// the note, "Daemons".
inline constexpr std::chrono::microseconds spin_beside_daemons{60};

/// Who wants a core of a task's computer. The program may have tasks on other computers, too; they do not count.
struct Neighbours {
  int usable_cores = 1;
  int threads = 1;  ///< of all tasks of the program
  int tasks = 1;
  int daemons = 0;  ///< that carry messages of the program

  /// Has the program more runnable threads than there are cores?
  [[nodiscard]] bool is_crowd() const { return threads > usable_cores; }
  /// Is that so when the daemons are counted in?
  [[nodiscard]] bool is_crowd_with_daemons() const { return threads + daemons > usable_cores; }
};

struct WaitingChoice {
  Patience::Options patience;
  int own_cores = 0;  ///< so many cores the task should claim for itself; 0: none
};

/// `spin`: what the user wants in place of the constants above.
WaitingChoice choose_waiting(const Neighbours& neighbours, Binding binding,
                             std::optional<std::chrono::microseconds> spin);

}  // namespace nasvm
