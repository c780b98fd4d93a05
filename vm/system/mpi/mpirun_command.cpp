#include "vm/system/mpi/mpirun_command.hpp"

#include "vm/process/environment.hpp"
#include "vm/process/programs.hpp"
#include "vm/status.hpp"
#include "vm/system/protocol.hpp"

namespace nasvm::mpirun {

std::vector<std::string> clean_environment(std::span<const std::string> defaults) {
  return process::environment_without({"PMIX_", "OMPI_COMM_WORLD_", system_protocol::order_variable}, defaults);
}

std::uintmax_t room_for(int tasks) {
  constexpr std::uintmax_t of_each_task = 4U << 20;  // btl_vader_segment_size of Open MPI 4.1 (ompi_info --all)
  constexpr std::uintmax_t of_the_job = 8U << 20;    // what its daemon and PMIx share with the tasks
  return of_the_job + static_cast<std::uintmax_t>(tasks) * of_each_task;
}

std::vector<std::string> one_host_arguments(const std::string& folder) {
  return {"--mca", "oob_tcp_if_include", "lo",   "--mca", "btl_tcp_if_include",          "lo",
          "--mca", "orte_tmpdir_base",   folder, "--mca", "btl_vader_backing_directory", folder};
}

}  // namespace nasvm::mpirun
