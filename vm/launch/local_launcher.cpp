#include "vm/launch/local_launcher.hpp"

#include "vm/net/address.hpp"
#include "vm/process/start.hpp"
#include "vm/status.hpp"

namespace nasvm {
namespace {

class LocalLauncher final : public Launcher {
 public:
  void check(const HostSpec& host) override {
    if (host.address.empty()) {
      throw UsageError(host.source + ": \"" + host.name + "\" is not a host name or address that can be resolved");
    }
    if (!net::is_local(host.address)) {
      throw UsageError("host \"" + host.name + "\" (" + host.address +
                       ") is not this host: launcher local starts daemons on "
                       "this host's addresses only, such as "
                       "127.0.0.1, 127.0.0.2; others need --launcher ssh");
    }
  }

  Started start(std::span<const HostSpec>, const std::string& bootstrap, int) override {
    return start_daemon_here(bootstrap);
  }
};

}  // namespace

std::unique_ptr<Launcher> make_local_launcher(const LauncherOptions&) { return std::make_unique<LocalLauncher>(); }

Launcher::Started start_daemon_here(const std::string& bootstrap) {
  return {process::start({.program = daemon_program(), .input = bootstrap, .output = STDERR_FILENO}), {}, true};
}

}  // namespace nasvm
