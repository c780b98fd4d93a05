#pragma once
/// \file
/// What the tasks of a mcast run do: rank 0 sends, all others receive.

#include <span>
#include <string>
#include <string_view>

#include "harness/commands/mcast/record.hpp"
#include "vm/comm.hpp"
#include "vm/task.hpp"

namespace nasvm {

/// Carries out a McastOrder of a protocol; returns the text of this task's McastReport.
std::string measure_mcast(std::string_view order, Task& task);
/// The same of Comm's own broadcast, for the tasks of message systems.
std::string measure_mcast(std::string_view order, Comm& comm);

/// For people: whom multicast does not reach (the hosts of those receivers), and what these messages did about it.
std::string unreached_text(std::span<const std::string> hosts, std::span<const McastRecord> records);

}  // namespace nasvm
