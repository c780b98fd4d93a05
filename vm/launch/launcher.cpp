#include "vm/launch/launcher.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "vm/launch/local_launcher.hpp"
#include "vm/launch/mpirun_launcher.hpp"
#include "vm/launch/srun_launcher.hpp"
#include "vm/launch/ssh_launcher.hpp"
#include "vm/names.hpp"
#include "vm/process/programs.hpp"
#include "vm/status.hpp"

namespace nasvm {
namespace {

constexpr std::array table{
    LauncherRow{"local", "starts the daemons on this host, one for each address in the hostfile",
                make_local_launcher},
    LauncherRow{"ssh", "starts them over ssh, or what --rsh names, on all hosts at the same time", make_ssh_launcher},
    LauncherRow{"mpirun", "has Open MPI's mpirun start one on each host", make_mpirun_launcher},
    LauncherRow{"srun", "has Slurm's srun start one on each node of the job", make_srun_launcher},
};

}  // namespace

std::span<const LauncherRow> launchers() { return table; }

std::unique_ptr<Launcher> make_launcher(std::string_view name, std::span<const LauncherRow> rows,
                                        const LauncherOptions& options) {
  const auto found = std::ranges::find(rows, name, &LauncherRow::name);
  if (found != rows.end()) return found->make(options);
  throw UsageError(unknown_name("launcher", name, names_of(rows)));
}

std::string_view usual_launcher(const std::vector<HostSpec>& hosts, bool in_slurm_job) {
  if (in_slurm_job) return "srun";
  return all_here(hosts) ? "local" : "ssh";
}

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::optional<std::vector<HostSpec>> slurm_job(const Variables& variables) {
  const std::string nodes = variables("SLURM_JOB_NODELIST");
  if (nodes.empty()) return std::nullopt;
  const std::string tasks = variables("SLURM_TASKS_PER_NODE");
  return slurm_hosts(nodes, tasks.empty() ? variables("SLURM_JOB_CPUS_PER_NODE") : tasks);
}

std::string daemon_program() {
  const std::string program = process::find_sibling("nasvmd");
  if (program.empty()) {
    throw UsageError("nasvmd is neither beside " + process::own_program() +
                     " nor beside a nasvm in PATH: add nasvm's folder to PATH, or build it (make build)");
  }
  return program;
}

}  // namespace nasvm
