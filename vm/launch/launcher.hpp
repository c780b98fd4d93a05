#pragma once
/// \file
/// The contract of launchers: how a daemon gets started on a host. A new launcher is one file and one row in the
/// table (launcher.cpp). Whatever starts it, the daemon reads the same bootstrap line on its standard input and
/// connects back to the console.

#include <sys/types.h>

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "vm/launch/hostfile.hpp"
#include "vm/net/fd.hpp"

namespace nasvm {

/// A process that this one has started: for `local` the daemon itself, for others what brought it up.
struct LaunchedProcess {
  pid_t pid = -1;
  net::Fd pidfd;
};

class Launcher {
 public:
  virtual ~Launcher() = default;
  /// Throws UsageError when it cannot start a daemon there at all.
  virtual void check(const HostSpec& host) = 0;
  /// Starts one daemon and gives it `bootstrap` (one line) on its standard input. Does not wait for it to come up.
  virtual LaunchedProcess start(const HostSpec& host, const std::string& bootstrap) = 0;
};

struct LauncherRow {
  std::string_view name;
  std::string_view description;
  std::unique_ptr<Launcher> (*make)();
};

std::span<const LauncherRow> launchers();
/// Throws UsageError for an unknown name, with the known ones.
std::unique_ptr<Launcher> make_launcher(std::string_view name);

/// nasvmd, beside this program. Throws UsageError when it is not there.
std::string daemon_program();

/// Starts a program with `input` on its standard input; its standard output goes to standard error.
LaunchedProcess start_process(const std::string& program, std::span<const std::string> arguments,
                              const std::string& input);

}  // namespace nasvm
