#pragma once
/// \file
/// Which hosts of a machine take the tasks of a program: those that are there, or those that the program names.

#include <cstddef>
#include <string>
#include <vector>

#include "vm/launch/program_run.hpp"

namespace nasvm {

/// Of each rank, the position of its host among `hosts`. Throws UsageError when the hosts do not take so many tasks,
/// are fewer than the program wants, or have never been what it names, RunError when one that it names and that would
/// get tasks, or every one, is not there any more.
std::vector<std::size_t> place_tasks(const Machine::Program& program, const std::vector<TaskHost>& hosts);

/// The same for tasks that a task spawns: all on the host of that name, or, where there is none, each on the host
/// with the fewest tasks for its slots. `tasks` says how many each host has. Throws UsageError when that are too
/// many, or there is no such host, RunError when no host is left.
std::vector<std::size_t> place_spawned(int count, const std::string& host, const std::vector<TaskHost>& hosts,
                                       std::vector<int> tasks);

}  // namespace nasvm
