#pragma once
/// \file
/// Bodies that use shared files (task_bodies.hpp). Below a body's name stand the file's path and numbers, a line
/// each.

#include <span>

#include "support/common_bodies.hpp"
#include "vm/task.hpp"

namespace nasvm::test {

std::span<const Body<Task>> files_bodies();

}  // namespace nasvm::test
