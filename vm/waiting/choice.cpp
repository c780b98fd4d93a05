#include "vm/waiting/choice.hpp"

namespace nasvm {
namespace {

std::chrono::microseconds usual_spin(const Neighbours& neighbours) {
  if (neighbours.is_crowd()) return spin_in_crowd;
  return neighbours.is_crowd_with_daemons() ? spin_beside_daemons : spin_on_own_core;
}

}  // namespace

WaitingChoice choose_waiting(const Neighbours& neighbours, Binding binding,
                             std::optional<std::chrono::microseconds> spin) {
  const bool crowded = neighbours.is_crowd_with_daemons();
  // Who has been told how long to look on does so.
  WaitingChoice choice{{spin.value_or(usual_spin(neighbours)), crowded, !spin.has_value()}};
  // A single task is left where the system puts it: nobody of its program can be in its way.
  const bool alone = neighbours.tasks <= 1;
  if (binding == Binding::core && !alone && !crowded) choice.own_cores = neighbours.threads / neighbours.tasks;
  return choice;
}

}  // namespace nasvm
