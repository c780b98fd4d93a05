#include "vm/process/mpirun.hpp"

#include "vm/process/programs.hpp"
#include "vm/status.hpp"

namespace nasvm::mpirun {

std::string find_program(std::string_view needed_by) {
  std::string found = process::find_in_path("mpirun");
  if (found.empty()) {
    throw UsageError(std::string(needed_by) + " needs mpirun, which is not in PATH: apt-get install openmpi-bin");
  }
  return found;
}

}  // namespace nasvm::mpirun
