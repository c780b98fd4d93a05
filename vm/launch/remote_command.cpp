#include "vm/launch/remote_command.hpp"

#include <sstream>

namespace nasvm {

std::vector<std::string> words_of(std::string_view command) {
  std::istringstream stream{std::string(command)};
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

std::string shell_quoted(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

std::string with_sh(std::string_view script, std::string_view name, std::string_view argument) {
  std::string command = "sh -c " + shell_quoted(script) + " " + shell_quoted(name);
  if (!argument.empty()) command += " " + shell_quoted(argument);
  return command;
}

std::string command_for_daemon(const std::string& program) {
  return with_sh(
      "p=$1; test -x \"$p\" || p=$(command -v nasvmd) || "
      "{ echo \"nasvmd is neither $1 nor in PATH: copy the build there, or use --copy\" >&2; exit 127; }; "
      "exec \"$p\"",
      "nasvmd", program);
}

std::string command_for_copied_daemon() {
  // The line has the secret: it must not be an argument of a program, nor a variable that was exported before. echo
  // is a part of every shell.
  return with_sh(
      "unset line d e; IFS= read -r line && d=$(mktemp -d \"${TMPDIR:-/tmp}/nasvm-copy.XXXXXX\") || exit 1; "
      "trap 'rm -rf \"$d\"' EXIT; trap 'exit 1' HUP INT TERM; "
      "e=$(tar -C \"$d\" -xzf - 2>&1) || { echo \"cannot unpack in $d: $e\" | head -n 1 >&2; exit 1; }; "
      "echo \"$line\" | \"$d/nasvmd\"",
      "nasvmd");
}

}  // namespace nasvm
