#pragma once
/// \file
/// `nasvm reproduce`: the experiment of papers/002 (RNR-94-008) on emulated testbeds, beside its own figures.

#include "harness/command.hpp"
#include "harness/testbed/lab.hpp"

namespace nasvm {

/// A run that fails is noted and the others go on; the status is Exit::broken then. Exit::failed when a verification
/// failed, Exit::usage where no hosts can be made.
CommandRow reproduce_command(const LabFactory& make_lab);

}  // namespace nasvm
