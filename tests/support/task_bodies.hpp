#pragma once
/// \file
/// What the tasks do that tests start: the test program is started again by a daemon, and runs the body that its
/// setup names.

#include <string>
#include <string_view>
#include <vector>

#include "vm/launch/machine.hpp"
#include "vm/task.hpp"

namespace nasvm::test {

/// The main function of such a task.
int test_task_main();

/// A program for Machine::run whose tasks run the body `name`; throws std::logic_error for a name not in the table.
Machine::Program program_of(std::string_view name, int size, std::string_view transport);

/// Daemons on this host, under as many loopback addresses.
std::vector<HostSpec> loopback_hosts(int count, int slots);
std::vector<HostSpec> two_hosts(int slots);

}  // namespace nasvm::test
