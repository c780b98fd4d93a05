#pragma once
/// \file
/// The contract of launchers: how daemons get started. A new launcher is one file (or folder) beside this and one row
/// in the table (launcher.cpp). Whatever starts it, a daemon reads the same line on its standard input
/// (protocol::Bootstrap) and connects back to the console.

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vm/launch/hostfile.hpp"
#include "vm/process/child.hpp"

namespace nasvm {

/// What a launcher is told beside the hosts.
struct LauncherOptions {
  std::string rsh;    ///< command and options of the remote shell; empty: the launcher's own choice
  bool copy = false;  ///< bring this build's programs to the hosts first, and remove them afterwards
};

class Launcher {
 public:
  virtual ~Launcher() = default;

  /// A process that has been started.
  struct Started {
    process::Child child;      ///< ended by the kernel with this process
    process::Child feeder{};   ///< another that writes to its standard input
    bool is_daemon = false;    ///< the daemon itself, so that its end is the daemon's
    std::string program{};     ///< else its name, for people: "ssh"
    bool ends_others = false;  ///< it ends what it has started, when it is asked to end, and is not to be disturbed
  };

  /// Throws UsageError when it cannot start a daemon there at all.
  virtual void check(const HostSpec& host) = 0;
  /// One process brings up all daemons of other computers: `start` is called once, with all those hosts; the daemons
  /// know by their rank which of them they are. Otherwise it is called for each host by itself.
  [[nodiscard]] virtual bool starts_all_at_once() const { return false; }
  /// The variable of their environment that has this rank.
  [[nodiscard]] virtual std::string_view rank_variable() const { return {}; }
  /// Starts daemons on `hosts`, gives each `bootstrap` (one line) on its standard input, and does not wait for them
  /// to come up. What they and their helpers have to say goes to the descriptor `complaints`. Throws RunError.
  virtual Started start(std::span<const HostSpec> hosts, const std::string& bootstrap, int complaints) = 0;
};

struct LauncherRow {
  std::string_view name;
  std::string_view description;
  std::unique_ptr<Launcher> (*make)(const LauncherOptions& options);
};

/// Those that are built.
std::span<const LauncherRow> launchers();
/// Throws UsageError for a name that `rows` do not have, with those they have.
std::unique_ptr<Launcher> make_launcher(std::string_view name, std::span<const LauncherRow> rows = launchers(),
                                        const LauncherOptions& options = {});

/// Who starts daemons where the user has not said it: `srun` inside a Slurm job, `ssh` where a host is another
/// computer, else `local`.
std::string_view usual_launcher(const std::vector<HostSpec>& hosts, bool in_slurm_job);

/// The value of a variable of the environment; empty: it is not set.
using Variables = std::function<std::string(const char* name)>;
/// This process's.
std::string variable(const char* name);
/// The nodes of the Slurm job in which this process is; none outside of one. Throws UsageError.
std::optional<std::vector<HostSpec>> slurm_job(const Variables& variables = variable);

/// nasvmd, beside this program. Throws UsageError when it is not there.
std::string daemon_program();

}  // namespace nasvm
