#pragma once
/// \file
/// What a launcher tells the tasks of a program.

#include "vm/launch/machine.hpp"
#include "vm/machine_topology.hpp"
#include "vm/system/protocol.hpp"

namespace nasvm {

/// The order to all tasks of `program`; the launcher adds rank and size where it gives ranks. Tasks bind themselves
/// to cores of their own where they shall, are more than one, and the `cores` of this computer are enough for all.
system_protocol::Order order_for(const Machine::Program& program, const Parameters& parameters,
                                 int cores = usable_cores());

}  // namespace nasvm
