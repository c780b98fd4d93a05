#pragma once
/// \file
/// Cores for tasks that are measured.

namespace nasvm {

/// Binds this task, number `index` of `tasks` on this computer, to the core of that number among those it may use;
/// says whether there were enough for each to have its own. Tasks that the system moves to one core share it: whoever
/// polls then keeps the other from answering.
bool bind_to_core(int index, int tasks);

}  // namespace nasvm
