#pragma once
/// \file
/// Launcher `ssh`: a remote shell starts the daemon of each host, all of them at the same time; this computer's own
/// daemon is a child process.
///
/// The command is --rsh, else NASVM_RSH, else ssh; it is called with host and command behind its own options, as rsh,
/// ssh and PVM_RSH's are. It must not ask for anything: keys, not passwords. Programs are found on the host at the
/// same path as here, then in PATH there; or they are copied (LauncherOptions::copy).

#include <memory>

#include "vm/launch/launcher.hpp"

namespace nasvm {

std::unique_ptr<Launcher> make_ssh_launcher(const LauncherOptions& options);

}  // namespace nasvm
