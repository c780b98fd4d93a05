#include "vm/proc.hpp"

#include <charconv>
#include <fstream>
#include <sstream>
#include <system_error>

namespace nasvm {

std::string proc_text(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();  // a formatted output: an error of the buffer becomes a state of the stream
  return file.is_open() ? text.str() : std::string();
}

std::vector<pid_t> all_processes() {
  std::vector<pid_t> found;
  std::error_code error;
  for (std::filesystem::directory_iterator entry("/proc", error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename();
    pid_t process = 0;
    const auto [rest, wrong] = std::from_chars(name.data(), name.data() + name.size(), process);
    if (wrong == std::errc() && rest == name.data() + name.size()) found.push_back(process);
  }
  return found;
}

std::filesystem::path proc_folder(pid_t process) { return "/proc/" + std::to_string(process); }

std::string boot_id() {
  std::string id = proc_text("/proc/sys/kernel/random/boot_id");
  while (!id.empty() && id.back() == '\n') id.pop_back();
  return id;
}

}  // namespace nasvm
