#pragma once
/// \file
/// Bodies of tasks that come and go (task_bodies.hpp).

#include <span>

#include "support/common_bodies.hpp"
#include "vm/task.hpp"

namespace nasvm::test {

std::span<const Body<Task>> spawn_bodies();

}  // namespace nasvm::test
