#pragma once
/// \file
/// `nasvm mcast`: one sender, many receivers, per protocol, beside unreliable multicast and message systems; and the
/// figures of two papers. Data that arrived wrong: Exit::failed.

#include "harness/command.hpp"
#include "harness/commands/mcast/executor.hpp"
#include "harness/testbed/lab.hpp"

namespace nasvm {

CommandRow mcast_command(McastExecutorFactory make_executor, const LabFactory& make_lab);

}  // namespace nasvm
