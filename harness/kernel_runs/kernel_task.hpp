#pragma once
/// \file
/// A task of the machine that runs a kernel, with the checkpoints that its order asks for.

#include <string>

#include "vm/task.hpp"

namespace nasvm {

/// Carries out the task's order (TaskOrder); returns the text of its TaskReport. Collective. Blocks.
std::string run_kernel_task(Task& task);

}  // namespace nasvm
