#pragma once
/// \file
/// Bodies of tasks that make remote service requests (task_bodies.hpp).

#include <span>

#include "support/common_bodies.hpp"
#include "vm/task.hpp"

namespace nasvm::test {

std::span<const Body<Task>> service_bodies();

}  // namespace nasvm::test
