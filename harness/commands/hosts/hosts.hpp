#pragma once
/// \file
/// `nasvm hosts`: the virtual machine, its hosts, and the transport of each pair of tasks with the reasons.

#include "harness/command.hpp"
#include "harness/commands/hosts/surveyor.hpp"

namespace nasvm {

CommandRow hosts_command(Surveyor surveyor);

}  // namespace nasvm
