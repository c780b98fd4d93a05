#pragma once
/// \file
/// What every fabric under Comm must do, as a list of checks. Each check is collective: every rank calls it. Run over
/// the threads of one process and over every transport of the machine, with many rank counts.

#include <span>
#include <string_view>

#include "vm/comm.hpp"

namespace nasvm::test {

struct Check {
  std::string_view name;
  void (*run)(Comm&);
};

/// All of Comm, with messages up to some megabytes.
std::span<const Check> conformance_checks();
/// The same rules with messages up to 64 MB; slow.
std::span<const Check> long_message_checks();

/// Runs the checks one after the other; throws std::logic_error with the check's name when one fails.
void run_checks(Comm& comm, std::span<const Check> checks);

}  // namespace nasvm::test
