#include "vm/process/programs.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "vm/status.hpp"

namespace nasvm::process {
namespace {

/// What the system puts behind the path of a program whose file is gone (proc(5), "/proc/pid/exe").
constexpr std::string_view deleted_mark = " (deleted)";

}  // namespace

std::string own_program() {
  std::array<char, 4096> path{};
  const ssize_t length = ::readlink("/proc/self/exe", path.data(), path.size() - 1);
  if (length <= 0) throw RunError("cannot find this program's own file under /proc");
  const std::string program(path.data(), static_cast<std::size_t>(length));
  if (program.ends_with(deleted_mark) && ::access(program.c_str(), F_OK) != 0) {
    const std::string before = program.substr(0, program.size() - deleted_mark.size());
    throw RunError(before + " was replaced or removed while it ran: start again");
  }
  return program;
}

namespace {

/// Folder of the nasvm that a shell would find, through links; empty when there is none.
std::filesystem::path installed_folder() {
  const std::string nasvm = find_in_path("nasvm");
  if (nasvm.empty()) return {};
  std::error_code failure;
  return std::filesystem::canonical(nasvm, failure).parent_path();
}

/// The program of that name in a folder; empty when there is none.
std::string program_in(const std::filesystem::path& folder, std::string_view name) {
  const auto program = folder / name;
  std::error_code error;
  const bool is_file = !folder.empty() && std::filesystem::is_regular_file(program, error);
  return is_file && ::access(program.c_str(), X_OK) == 0 ? program.string() : "";
}

}  // namespace

std::string find_sibling(std::string_view name) {
  const auto beside = std::filesystem::path(own_program()).parent_path();
  for (const auto& folder : {beside, beside.parent_path()}) {
    if (std::string found = program_in(folder, name); !found.empty()) return found;
  }
  return program_in(installed_folder(), name);
}

std::string find_in_path(std::string_view name) {
  const char* path = std::getenv("PATH");
  std::string_view rest = path == nullptr ? "/usr/bin:/bin" : path;
  for (bool is_last = false; !is_last;) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    is_last = end == rest.size();
    const std::string folder(end == 0 ? "." : rest.substr(0, end));  // no folder is this one, as for a shell
    std::string found = program_in(folder, name);
    if (!found.empty()) return found;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return {};
}

}  // namespace nasvm::process
