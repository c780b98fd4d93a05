#include "vm/launch/mpirun_command.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "vm/launch/mpirun_protocol.hpp"
#include "vm/status.hpp"

namespace nasvm::mpirun {

std::string find_program(std::string_view needed_by) {
  const char* path = std::getenv("PATH");
  std::string_view rest = path == nullptr ? "/usr/bin:/bin" : path;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    std::string candidate = std::string(rest.substr(0, end)) + "/mpirun";
    if (::access(candidate.c_str(), X_OK) == 0) return candidate;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  throw UsageError(std::string(needed_by) + " needs mpirun, which is not in PATH: apt-get install openmpi-bin");
}

std::vector<std::string> clean_environment() {
  std::vector<std::string> variables;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view variable = *entry;
    const bool of_other = variable.starts_with("PMIX_") || variable.starts_with("OMPI_COMM_WORLD_") ||
                          variable.starts_with(order_variable);
    if (!of_other) variables.emplace_back(variable);
  }
  return variables;
}

std::vector<std::string> one_host_arguments(const std::string& folder) {
  return {"--mca", "oob_tcp_if_include", "lo",   "--mca", "btl_tcp_if_include",          "lo",
          "--mca", "orte_tmpdir_base",   folder, "--mca", "btl_vader_backing_directory", folder};
}

int available_cores() {
  cpu_set_t set;
  return ::sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

}  // namespace nasvm::mpirun
