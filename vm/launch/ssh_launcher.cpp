#include "vm/launch/ssh_launcher.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "vm/launch/local_launcher.hpp"
#include "vm/launch/remote_command.hpp"
#include "vm/process/programs.hpp"
#include "vm/process/start.hpp"
#include "vm/status.hpp"

namespace nasvm {
namespace {

/// A host that does not answer is to be named within 5 s.
constexpr const char* connect_timeout = "ConnectTimeout=4";

/// The remote shell and its options, its program found.
std::vector<std::string> remote_shell(const LauncherOptions& options) {
  const std::string from_environment = variable("NASVM_RSH");
  const std::string typed = !options.rsh.empty() ? options.rsh : !from_environment.empty() ? from_environment : "ssh";
  std::vector<std::string> words = words_of(typed);
  const std::string name = words.empty() ? "" : words.front();
  const std::string program = name.find('/') == std::string::npos ? process::find_in_path(name) : name;
  std::error_code ignored;
  if (program.empty() || !std::filesystem::exists(program, ignored)) {
    throw UsageError("launcher ssh: the remote shell \"" + typed + "\" is not a program here; " +
                     (typed == "ssh" ? "install openssh-client, or name another with --rsh" : "see --rsh"));
  }
  words.front() = program;
  // No questions (there may be nobody to answer), no terminal, no forwarding.
  if (std::filesystem::path(program).filename() == "ssh") {
    const auto behind_name = words.begin() + 1;
    words.insert(behind_name, {"-T", "-x", "-a", "-o", "BatchMode=yes", "-o", connect_timeout});
  }
  return words;
}

/// What belongs to this build, in the daemon's folder: the programs, and the libraries of portable builds.
std::string files_to_copy(const std::filesystem::path& folder) {
  std::string names = "nasvm nasvmd";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename();
    if (name.starts_with("libnasvm") && name.find(".so") != std::string::npos) names += " " + name;
  }
  return names;
}

class SshLauncher final : public Launcher {
 public:
  explicit SshLauncher(const LauncherOptions& options) : shell_(remote_shell(options)), copy_(options.copy) {}

  void check(const HostSpec&) override {}

  Started start(std::span<const HostSpec> hosts, const std::string& bootstrap, int complaints) override {
    const HostSpec& host = hosts.front();
    if (is_this_computer(host)) return start_daemon_here(bootstrap);
    process::StartOptions options{.input = bootstrap, .output = complaints, .error = complaints};
    const std::string daemon = daemon_program();
    if (copy_) {
      const std::filesystem::path folder = std::filesystem::path(daemon).parent_path();
      options.program = "/bin/sh";
      options.arguments = {"-c", "d=$1 f=$2; shift 2; { cat; tar -C \"$d\" -czhf - $f; } | \"$@\"", "nasvm",
                           folder.string(), files_to_copy(folder)};
      options.arguments.insert(options.arguments.end(), shell_.begin(), shell_.end());
    } else {
      options.program = shell_.front();
      options.arguments.assign(shell_.begin() + 1, shell_.end());
    }
    options.arguments.push_back(host.name);
    options.arguments.push_back(copy_ ? command_for_copied_daemon() : command_for_daemon(daemon));
    return {process::start(options), false, std::filesystem::path(shell_.front()).filename()};
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
