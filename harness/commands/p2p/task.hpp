#pragma once
/// \file
/// What the tasks of a p2p run do. Of a pair, ranks 0 and 1 measure, any others wait.

#include <string>
#include <string_view>

#include "vm/comm.hpp"
#include "vm/task.hpp"

namespace nasvm {

/// Carries out a P2pOrder; returns the text of this task's P2pReport.
std::string measure_p2p(std::string_view order, Comm& comm);
/// The same in a task of the virtual machine, which can make requests, too.
std::string measure_p2p(std::string_view order, Task& task);

}  // namespace nasvm
