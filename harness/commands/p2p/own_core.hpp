#pragma once
/// \file
/// Cores for tasks that are measured.

#include "vm/binding.hpp"

namespace nasvm {

/// Binds this task, number `index` of `tasks` on this computer, to the core of that number among those it may use, if
/// it shall be bound; says whether each now has its own. Tasks that the system moves to one core share it: whoever
/// polls then keeps the other from answering.
bool bind_to_own_core(Binding bind, int index, int tasks);

}  // namespace nasvm
