#include "vm/launch/local_launcher.hpp"

#include "vm/net/address.hpp"
#include "vm/process/start.hpp"
#include "vm/status.hpp"

namespace nasvm {
namespace {

class LocalLauncher final : public Launcher {
 public:
  void check(const HostSpec& host) override {
    if (!net::is_local(host.address)) {
      throw UsageError("host \"" + host.name + "\" (" + host.address +
                       ") is not this host: launcher local starts daemons on "
                       "this host's addresses only, such as "
                       "127.0.0.1, 127.0.0.2");
    }
  }

  /// The daemon's standard output is our standard error: ours is for results.
  process::Child start(const HostSpec&, const std::string& bootstrap) override {
    return process::start({.program = daemon_program(), .input = bootstrap, .output = STDERR_FILENO});
  }
};

}  // namespace

std::unique_ptr<Launcher> make_local_launcher() { return std::make_unique<LocalLauncher>(); }

}  // namespace nasvm
