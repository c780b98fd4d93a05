#include "vm/launch/local_launcher.hpp"

#include "vm/net/address.hpp"
#include "vm/status.hpp"

namespace nasvm {
namespace {

class LocalLauncher final : public Launcher {
 public:
  void check(const HostSpec& host) override {
    if (!net::is_local(host.address)) {
      throw UsageError("host \"" + host.name + "\" (" + host.address +
                       ") is not this host: launcher local starts daemons on this host's addresses only, such as "
                       "127.0.0.1, 127.0.0.2");
    }
  }

  LaunchedProcess start(const HostSpec&, const std::string& bootstrap) override {
    return start_process(daemon_program(), {}, bootstrap);
  }
};

}  // namespace

std::unique_ptr<Launcher> make_local_launcher() { return std::make_unique<LocalLauncher>(); }

}  // namespace nasvm
