#pragma once
/// \file
/// The contract of launchers: how a daemon gets started on a host. A new launcher is one file (or folder) beside this
/// and one row in the table (launcher.cpp). Whatever starts it, the daemon reads the same line on its standard input
/// (protocol::Bootstrap) and connects back to the console.

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "vm/launch/hostfile.hpp"
#include "vm/process/child.hpp"

namespace nasvm {

class Launcher {
 public:
  virtual ~Launcher() = default;
  /// Throws UsageError when it cannot start a daemon there at all.
  virtual void check(const HostSpec& host) = 0;
  /// Starts one daemon and gives it `bootstrap` (one line) on its standard input. Does not wait for it to come up.
  /// Returns the daemon or what brings it up, which the kernel ends with this process. Throws RunError.
  virtual process::Child start(const HostSpec& host, const std::string& bootstrap) = 0;
};

struct LauncherRow {
  std::string_view name;
  std::string_view description;
  std::unique_ptr<Launcher> (*make)();
};

/// Those that are built.
std::span<const LauncherRow> launchers();
/// Throws UsageError for a name that `rows` do not have, with those they have.
std::unique_ptr<Launcher> make_launcher(std::string_view name, std::span<const LauncherRow> rows = launchers());

/// nasvmd, beside this program. Throws UsageError when it is not there.
std::string daemon_program();

}  // namespace nasvm
