#include "vm/launch/launcher.hpp"

#include <algorithm>
#include <array>

#include "vm/launch/local_launcher.hpp"
#include "vm/names.hpp"
#include "vm/process/programs.hpp"
#include "vm/status.hpp"

namespace nasvm {
namespace {

constexpr std::array table{
    LauncherRow{"local", "starts the daemons on this host, one for each address in the hostfile",
                make_local_launcher},
};

}  // namespace

std::span<const LauncherRow> launchers() { return table; }

std::unique_ptr<Launcher> make_launcher(std::string_view name, std::span<const LauncherRow> rows) {
  const auto found = std::ranges::find(rows, name, &LauncherRow::name);
  if (found != rows.end()) return found->make();
  throw UsageError(unknown_name("launcher", name, names_of(rows)));
}

std::string daemon_program() {
  const std::string program = process::find_sibling("nasvmd");
  if (program.empty()) throw UsageError("nasvmd is not beside " + process::own_program() + ": build it (make build)");
  return program;
}

}  // namespace nasvm
