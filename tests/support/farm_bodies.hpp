#pragma once
/// \file
/// Bodies of farms (task_bodies.hpp).

#include <span>

#include "support/common_bodies.hpp"
#include "vm/task.hpp"

namespace nasvm::test {

std::span<const Body<Task>> farm_bodies();

}  // namespace nasvm::test
