#include "vm/launch/srun_launcher.hpp"

#include <signal.h>

#include <utility>

#include "vm/process/environment.hpp"
#include "vm/process/programs.hpp"
#include "vm/process/start.hpp"
#include "vm/status.hpp"

namespace nasvm {
namespace {

class SrunLauncher final : public Launcher {
 public:
  explicit SrunLauncher(const LauncherOptions& options) : program_(process::find_in_path("srun")) {
    if (program_.empty()) throw UsageError("launcher srun needs Slurm's srun, which is not in PATH");
    if (!options.rsh.empty()) throw UsageError("--rsh: launcher srun uses no remote shell; leave it out");
    if (options.copy) throw UsageError("--copy: launcher srun cannot; put the build on a file system that all share");
  }

  void check(const HostSpec&) override {}
  [[nodiscard]] bool starts_all_at_once() const override { return true; }
  [[nodiscard]] std::string_view rank_variable() const override { return "SLURM_PROCID"; }

  Started start(std::span<const HostSpec> hosts, const std::string& bootstrap, int complaints) override {
    std::string list;
    for (const HostSpec& host : hosts) list += (list.empty() ? "" : ",") + host.name;
    const std::string count = std::to_string(hosts.size());
    // Arbitrary distribution keeps the order of the list, so that ranks are indices of hosts. The step shares the
    // job's processors with one that has started this program, and leaves binding to the tasks.
    return {
        process::start({.program = program_,
                        .arguments = {"--nodes=" + count, "--ntasks=" + count, "--nodelist=" + list,
                                      "--distribution=arbitrary", "--input=all", "--mpi=none", "--overlap",
                                      "--cpu-bind=none", "--kill-on-bad-exit=0", "--quiet", daemon_program()},
                        .environment = process::environment_without({"PMIX_", "PMI_", "OMPI_", "SLURM_EXCLUSIVE"}),
                        .input = bootstrap,
                        .output = complaints,
                        .error = complaints,
                        .session = process::SessionOf::itself,  // the terminal's signals are for the console
                        .death_signal = SIGTERM}),
        {},
        false,
        "srun",
        true};
  }

 private:
  std::string program_;
};

}  // namespace

std::unique_ptr<Launcher> make_srun_launcher(const LauncherOptions& options) {
  return std::make_unique<SrunLauncher>(options);
}

}  // namespace nasvm
