#include "harness/commands/regress/launcher.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <limits>
#include <optional>
#include <system_error>

#include <fmt/format.h>
#include <unistd.h>

#include "harness/cli/values.hpp"
#include "harness/document/read_text.hpp"
#include "harness/testbed/lab.hpp"
#include "harness/text.hpp"
#include "vm/status.hpp"

namespace nasvm {
namespace {

/// An empty file, gone with this object.
class DocumentFile {
 public:
  DocumentFile() {
    std::error_code error;
    path_ = (std::filesystem::temp_directory_path(error) / "nasvm-regress-XXXXXX").string();
    const int descriptor = ::mkstemp(path_.data());
    if (descriptor < 0) throw RunError(fmt::format("cannot make the file {}: {}", path_, std::strerror(errno)));
    ::close(descriptor);
  }
  ~DocumentFile() { ::unlink(path_.c_str()); }
  DocumentFile(const DocumentFile&) = delete;
  DocumentFile& operator=(const DocumentFile&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace

ProgramResult launch_program(const std::string& program, const std::vector<std::string>& arguments,
                             std::chrono::milliseconds timeout) {
  return run_program({.program = program, .arguments = arguments, .death_signal = SIGTERM}, timeout,
                     std::numeric_limits<std::size_t>::max());
}

std::string program_of_build(std::string_view option, const std::string& folder) {
  const std::filesystem::path path = whole_path(folder);
  for (const char* name : {"nasvm", "nasvmd"}) {
    if (::access((path / name).c_str(), X_OK) == 0) continue;
    throw UsageError(
        fmt::format("{} {}: no program {} there; expected a folder with nasvm and nasvmd, that of a "
                    "build or bin of an installation",
                    option, folder, name));
  }
  return path / "nasvm";
}

bool exports_document(const std::vector<std::string>& command) { return !command.empty() && command[0] == "exec"; }

Document launch_document(const BuildLauncher& launch, const std::string& program,
                         const std::vector<std::string>& command, std::chrono::milliseconds timeout,
                         std::span<const RecordType> types) {
  std::optional<DocumentFile> file;
  std::vector<std::string> own{"--format", "json"};
  if (exports_document(command)) own = {"--export-json", file.emplace().path()};
  std::vector<std::string> arguments = command;
  // Of exec behind its name: what follows the program is for that.
  arguments.insert(file ? arguments.begin() + 1 : std::ranges::find(arguments, "--"), own.begin(), own.end());
  const ProgramResult result = launch(program, arguments, timeout);
  const std::string text = file ? read_text(file->path()) : joined(result.output, "\n");
  const bool lacks_document = file && text.empty();
  const std::string what = fmt::format("{} {}", program, joined(arguments, " "));
  const std::string words = complaint_of(result);
  if (result.overdue) throw RunError(fmt::format("{}: has not ended in time (--timeout)", what));
  const bool is_of_program = file && !lacks_document;  // exec hands the status of the program on
  if (result.exit_status == static_cast<int>(Exit::usage) && !is_of_program)
    throw UsageError(fmt::format("{}: {}", what, words));
  if (lacks_document || (!result.ended_well && result.exit_status != static_cast<int>(Exit::failed))) {
    throw RunError(fmt::format("{}: {}{}{}", what, result.ending, words.empty() ? "" : ": ", words));
  }
  try {
    return from_json(text, what, types);
  } catch (const UsageError& error) {
    throw RunError(error.what());  // it has not been asked for anything wrong
  }
}

}  // namespace nasvm
