#include "vm/launch/remote_shell.hpp"

#include <filesystem>

#include "vm/launch/launcher.hpp"
#include "vm/launch/remote_command.hpp"
#include "vm/process/programs.hpp"
#include "vm/status.hpp"

namespace nasvm {
namespace {

/// A host that does not answer is to be named within 5 s.
constexpr const char* connect_timeout = "ConnectTimeout=4";

std::string choice(std::string_view typed) {
  if (!typed.empty()) return std::string(typed);
  const std::string from_environment = variable("NASVM_RSH");
  return from_environment.empty() ? "ssh" : from_environment;
}

}  // namespace

std::vector<std::string> remote_shell(std::string_view typed, std::string_view needed_by) {
  const std::string command = choice(typed);
  std::vector<std::string> words = words_of(command);
  const std::string name = words.empty() ? "" : words.front();
  const std::string program = name.find('/') == std::string::npos ? process::find_in_path(name) : name;
  std::error_code ignored;
  if (program.empty() || !std::filesystem::exists(program, ignored)) {
    throw UsageError(std::string(needed_by) + ": the remote shell \"" + command + "\" is not a program here; " +
                     (command == "ssh" ? "install openssh-client, or name another with --rsh" : "see --rsh"));
  }
  words.front() = program;
  // No questions (there may be nobody to answer), no terminal, no forwarding.
  if (std::filesystem::path(program).filename() == "ssh") {
    // Of an option that stands twice ssh takes the first: the user's.
    words.insert(words.end(), {"-T", "-x", "-a", "-o", "BatchMode=yes", "-o", connect_timeout});
  }
  return words;
}

}  // namespace nasvm
