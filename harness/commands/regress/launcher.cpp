#include "harness/commands/regress/launcher.hpp"

#include <filesystem>
#include <limits>

#include <fmt/format.h>
#include <unistd.h>

#include "harness/testbed/lab.hpp"
#include "harness/text.hpp"
#include "vm/status.hpp"

namespace nasvm {

ProgramResult launch_program(const std::string& program, const std::vector<std::string>& arguments,
                             std::chrono::milliseconds timeout) {
  return run_program({.program = program, .arguments = arguments, .death_signal = SIGTERM}, timeout,
                     std::numeric_limits<std::size_t>::max());
}

std::string program_of_build(std::string_view option, const std::string& folder) {
  const std::filesystem::path path = std::filesystem::absolute(folder);
  for (const char* name : {"nasvm", "nasvmd"}) {
    if (::access((path / name).c_str(), X_OK) == 0) continue;
    throw UsageError(fmt::format("{} {}: no program {} there; expected a build folder, with nasvm and nasvmd", option,
                                 folder, name));
  }
  return path / "nasvm";
}

Document launch_document(const BuildLauncher& launch, const std::string& program,
                         const std::vector<std::string>& command, std::chrono::milliseconds timeout,
                         std::span<const RecordType> types) {
  std::vector<std::string> arguments = command;
  arguments.insert(arguments.end(), {"--format", "json"});
  const ProgramResult result = launch(program, arguments, timeout);
  const std::string what = fmt::format("{} {}", program, joined(arguments, " "));
  const std::string words = complaint_of(result);
  if (result.overdue) throw RunError(fmt::format("{}: has not ended in time (--timeout)", what));
  if (result.exit_status == static_cast<int>(Exit::usage)) throw UsageError(fmt::format("{}: {}", what, words));
  if (!result.ended_well && result.exit_status != static_cast<int>(Exit::failed)) {
    throw RunError(fmt::format("{}: {}{}{}", what, result.ending, words.empty() ? "" : ": ", words));
  }
  return from_json(joined(result.output, "\n"), what, types);
}

}  // namespace nasvm
