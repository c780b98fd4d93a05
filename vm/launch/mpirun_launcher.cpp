#include "vm/launch/mpirun_launcher.hpp"

#include <signal.h>
#include <unistd.h>

#include <utility>

#include "vm/process/environment.hpp"
#include "vm/process/mpirun.hpp"
#include "vm/process/start.hpp"
#include "vm/status.hpp"

namespace nasvm {
namespace {

class MpirunLauncher final : public Launcher {
 public:
  explicit MpirunLauncher(LauncherOptions options)
      : options_(std::move(options)), program_(mpirun::find_program("launcher mpirun")) {
    if (options_.copy) throw UsageError("--copy: launcher mpirun cannot; copy the build yourself, or use ssh");
  }

  void check(const HostSpec& host) override { mpirun::check_host_name(host.name); }
  [[nodiscard]] bool starts_all_at_once() const override { return true; }
  [[nodiscard]] std::string_view rank_variable() const override { return "PMIX_RANK"; }

  Started start(std::span<const HostSpec> hosts, const std::string& bootstrap, int complaints) override {
    std::string list;
    for (const HostSpec& host : hosts) {
      list += (list.empty() ? "" : ",") + host.name + ":1";
    }
    // Open MPI 4.1 hands standard input to all processes but those of its own computer, where there are none.
    std::vector<std::string> arguments{
        "-np", std::to_string(hosts.size()), "--host", list, "--map-by", "ppr:1:node", "--bind-to", "none", "--stdin",
        "all"};
    if (::geteuid() == 0) arguments.emplace_back("--allow-run-as-root");
    if (!options_.rsh.empty()) arguments.insert(arguments.end(), {"--mca", "plm_rsh_agent", options_.rsh});
    arguments.push_back(daemon_program());
    return {process::start({.program = program_,
                            .arguments = std::move(arguments),
                            .environment = process::environment_without({"PMIX_", "OMPI_COMM_WORLD_"}),
                            .input = bootstrap,
                            .output = complaints,
                            .error = complaints,
                            .session = process::SessionOf::itself,  // the terminal's signals are for the console
                            .death_signal = SIGTERM}),
            {},
            false,
            "mpirun",
            true};
  }

 private:
  LauncherOptions options_;
  std::string program_;
};

}  // namespace

std::unique_ptr<Launcher> make_mpirun_launcher(const LauncherOptions& options) {
  return std::make_unique<MpirunLauncher>(options);
}

}  // namespace nasvm
