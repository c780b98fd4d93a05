#include "vm/launch/ssh_launcher.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "vm/launch/local_launcher.hpp"
#include "vm/launch/remote_command.hpp"
#include "vm/launch/remote_shell.hpp"
#include "vm/process/pipe.hpp"
#include "vm/process/programs.hpp"
#include "vm/process/start.hpp"
#include "vm/status.hpp"

namespace nasvm {
namespace {

/// What belongs to this build, in the daemon's folder: the programs, the MPI libraries, and the libraries of portable
/// builds, with those for better processors.
std::string files_to_copy(const std::filesystem::path& folder) {
  std::string names = "nasvm nasvmd";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename();
    if (name.starts_with("libnasvm") && name.find(".so") != std::string::npos) names += " " + name;
  }
  for (const char* part : {"glibc-hwcaps", "mpi/openmpi/libmpi.so.40", "mpi/openmpi/libmpi_mpifh.so.40",
                           "mpi/standard/libmpi_abi.so.1", "mpi/standard/libmpi_abi.so.0"}) {
    if (std::filesystem::exists(folder / part)) names += std::string(" ") + part;
  }
  return names;
}

/// What the feeder needs: without, the other host would say that it has got nothing to unpack.
void require_packers() {
  for (const char* program : {"tar", "gzip"}) {
    if (process::find_in_path(program).empty())
      throw UsageError(std::string("--copy needs ") + program + ", which is not in PATH here: install it");
  }
}

/// Writes the bootstrap line and the programs. When nobody reads them the shell that should have says why.
process::Child start_feeder(const std::string& bootstrap, int output) {
  const std::filesystem::path folder = std::filesystem::path(daemon_program()).parent_path();
  return process::start({.program = "/bin/sh",
                         .arguments = {"-c", "cat; exec tar -C \"$1\" -czhf - $2 2>/dev/null", "nasvm",
                                       folder.string(), files_to_copy(folder)},
                         .input = bootstrap,
                         .output = output});
}

class SshLauncher final : public Launcher {
 public:
  explicit SshLauncher(const LauncherOptions& options)
      : shell_(remote_shell(options.rsh, "launcher ssh")), copy_(options.copy) {
    if (copy_) require_packers();
  }

  void check(const HostSpec&) override {}

  Started start(std::span<const HostSpec> hosts, const std::string& bootstrap, int complaints) override {
    const HostSpec& host = hosts.front();
    if (is_this_computer(host)) return start_daemon_here(bootstrap);
    process::StartOptions options{.program = shell_.front(), .output = complaints, .error = complaints};
    options.session = process::SessionOf::itself;  // the terminal's signals are for the console
    options.arguments.assign(shell_.begin() + 1, shell_.end());
    options.arguments.push_back(host.name);
    const std::string name = std::filesystem::path(shell_.front()).filename();
    if (!copy_) {
      options.arguments.push_back(command_for_daemon(daemon_program()));
      options.input = bootstrap;
      return {process::start(options), {}, false, name};
    }
    options.arguments.push_back(command_for_copied_daemon());
    process::Pipe pipe;
    options.input_from = pipe.read.get();
    process::Child feeder = start_feeder(bootstrap, pipe.write.get());
    try {
      return {process::start(options), std::move(feeder), false, name};
    } catch (...) {
      feeder.kill();
      throw;
    }
  }

 private:
  std::vector<std::string> shell_;
  bool copy_;
};

}  // namespace

std::unique_ptr<Launcher> make_ssh_launcher(const LauncherOptions& options) {
  return std::make_unique<SshLauncher>(options);
}

}  // namespace nasvm
