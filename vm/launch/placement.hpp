#pragma once
/// \file
/// Which hosts of a machine take the tasks of a program: those that are there, or those that the program names.

#include <cstddef>
#include <vector>

#include "vm/launch/program_run.hpp"

namespace nasvm {

/// Of each rank, the position of its host among `hosts`. Throws UsageError when the hosts do not take so many tasks,
/// RunError when one that the program names, or every one, is not there any more.
std::vector<std::size_t> place_tasks(const Machine::Program& program, const std::vector<TaskHost>& hosts);

}  // namespace nasvm
