#pragma once
/// \file
/// What a program has started in turn, where it cannot be trusted to end that: a script around a remote shell.

#include <sys/types.h>

#include <span>

namespace nasvm::process {

/// Signals what children of this process have started, and then these themselves, after all of it has been found;
/// nothing of those that have been reaped. Found are those whose chain of parents leads to a child or to the session
/// that a child leads: an orphan is found by its session alone, so one that has left it (setsid), as daemons do, is
/// not. What is started meanwhile may be missed. Does not wait.
void signal_with_descendants(std::span<const pid_t> children, int number);

}  // namespace nasvm::process
