#pragma once
/// \file
/// `nasvm exec`: any program of MPI over transports, and what each cost; `nasvm mpiexec`: the same for others' test
/// runners, once and quietly.

#include <span>
#include <string>
#include <vector>

#include "harness/command.hpp"
#include "harness/commands/exec/executor.hpp"

namespace nasvm {

CommandRow exec_command(ProgramExecutorFactory make_executor);

CommandRow mpiexec_command();

/// The command line of `nasvm exec` that does what one of `nasvm mpiexec` asks for: -n N, --host, --hostfile,
/// -x NAME, --timeout, then the program. Options that others' launchers have and that mean nothing here are passed
/// over; of a variable that is not set it says so on standard error. The same line where it asks for help, that of
/// nasvm itself where it asks for the version. Throws UsageError.
std::vector<std::string> exec_line_of(std::span<const std::string> mpiexec_line);

}  // namespace nasvm
