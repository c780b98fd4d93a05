#include "vm/system/mpi/mpi_program.hpp"

#include <unistd.h>

#include <csignal>

#include "vm/machine_topology.hpp"
#include "vm/process/mpirun.hpp"
#include "vm/system/mpi/mpirun_command.hpp"
#include "vm/system/scratch_folder.hpp"

namespace nasvm {
namespace {

std::vector<std::string> arguments_for(const MpiProgram& program, const std::string& folder) {
  std::vector<std::string> words{"-np", std::to_string(program.tasks)};
  const auto append = [&words](const std::vector<std::string>& more) {
    words.insert(words.end(), more.begin(), more.end());
  };
  if (::geteuid() == 0) append({"--allow-run-as-root"});
  if (program.tasks > usable_cores()) append({"--oversubscribe", "--mca", "mpi_yield_when_idle", "1"});
  append(mpirun::one_host_arguments(folder));
  for (const std::string& variable : program.environment) append({"-x", variable});
  append({program.path});
  return words;
}

}  // namespace

MpiProgramResult run_mpi_program(const MpiProgram& program, std::chrono::milliseconds timeout) {
  const ScratchFolder folder(mpirun::room_for(program.tasks));
  return run_program({.program = mpirun::find_program("a program of MPI"),
                      .arguments = arguments_for(program, folder.path()),
                      .environment = mpirun::clean_environment(),
                      .death_signal = SIGTERM},
                     timeout);
}

}  // namespace nasvm
