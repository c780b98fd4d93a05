#pragma once
/// \file
/// Launcher `local`: daemons are child processes on this host. With several loopback addresses in the hostfile there
/// are several of them, which talk to each other as if they were apart.

#include <memory>

#include "vm/launch/launcher.hpp"

namespace nasvm {

std::unique_ptr<Launcher> make_local_launcher(const LauncherOptions& options);

/// A daemon as a child of this process, with its standard error, for what it and its tasks say: standard output is
/// for results.
Launcher::Started start_daemon_here(const std::string& bootstrap);

}  // namespace nasvm
