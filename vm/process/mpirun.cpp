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

void check_host_name(std::string_view name) {
  if (name.find(':') == std::string_view::npos) return;
  throw UsageError(std::string(name) +
                   ": mpirun takes what is behind a colon for slots: give the host a name (/etc/hosts)");
}

}  // namespace nasvm::mpirun
