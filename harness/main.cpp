#include <csignal>
#include <string>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

#include "harness/commands.hpp"
#include "harness/kernel_runs/vm_executor.hpp"
#include "harness/program.hpp"
#include "harness/task_main.hpp"
#include "vm/keeper/keeper.hpp"
#include "vm/process/core_dumps.hpp"

namespace {

/// Makes sure that no file or socket gets the number of a standard stream that the caller had closed: results would
/// be written into it. A stream that takes nothing takes its place (writing to it fails, which is reported).
void occupy_standard_streams() {
  int descriptor = 0;
  while (descriptor >= 0 && descriptor <= STDERR_FILENO) descriptor = ::open("/dev/null", O_RDONLY);
  if (descriptor >= 0) ::close(descriptor);
}

}  // namespace

int main(int argc, char** argv) {
  occupy_standard_streams();
  nasvm::process::forbid_core_dumps();
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow shows as a failed write, with a message
  if (argc > 1 && std::string_view(argv[1]) == "task") return nasvm::task_main(argc, argv);
  if (argc > 1 && std::string_view(argv[1]) == nasvm::keeper::keeper_argument) return nasvm::keeper::keeper_main();
  std::signal(SIGPIPE, SIG_IGN);  // and so does a closed pipe
  const std::vector<std::string> arguments(argv, argv + argc);
  const std::vector<nasvm::CommandRow> commands =
      nasvm::commands({.run = nasvm::make_vm_executor,
                       .p2p = nasvm::make_vm_p2p_executor,
                       .mcast = nasvm::make_vm_mcast_executor,
                       .io = nasvm::make_vm_io_executor,
                       .hosts = nasvm::survey_machine,
                       .conditions = [] { return nasvm::make_conditions_meter(); }});
  return nasvm::program(arguments, {commands, nasvm::formats()}, nasvm::process_console());
}
