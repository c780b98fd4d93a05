#include "vm/proc.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <sstream>
#include <system_error>

namespace nasvm {
namespace {

std::string_view trimmed(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

}  // namespace

std::string proc_text(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();  // a formatted output: an error of the buffer becomes a state of the stream
  return file.is_open() ? text.str() : std::string();
}

std::vector<pid_t> all_processes(const std::filesystem::path& root) {
  std::vector<pid_t> found;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(root / "proc", error), end; !error && entry != end;
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

std::string process_namespace() {
  struct stat found {};
  return ::stat("/proc/self/ns/pid", &found) == 0 ? std::to_string(found.st_ino) : std::string();
}

std::optional<ProcessStatus> process_status(pid_t process) {
  const std::string text = proc_text(proc_folder(process) / "stat");
  // "pid (name) state parent group session ...", where the name may have anything in it.
  std::istringstream fields(text.substr(std::min(text.size(), text.rfind(')') + 1)));
  ProcessStatus status;
  if (!(fields >> status.state >> status.parent >> status.group >> status.session)) return std::nullopt;
  return status;
}

std::string proc_value(std::string_view text, std::string_view key) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const auto colon = line.find(':');
    if (colon != std::string_view::npos && trimmed(line.substr(0, colon)) == key) {
      return std::string(trimmed(line.substr(colon + 1)));
    }
  }
  return {};
}

std::string processor_name(std::string_view cpuinfo, std::string_view architecture) {
  const std::string model = proc_value(cpuinfo, "model name");
  if (!model.empty() && model != "unknown") return model;
  const std::string vendor = proc_value(cpuinfo, "vendor_id");
  const std::string family = proc_value(cpuinfo, "cpu family");
  if (vendor.empty()) return std::string(architecture);
  if (family.empty()) return vendor + " " + std::string(architecture);  // s390x
  return vendor + " family " + family + " model " + proc_value(cpuinfo, "model");
}

std::uint64_t meminfo_bytes(std::string_view text, std::string_view key) {
  const std::string value = proc_value(text, key);
  std::uint64_t kibibytes = 0;
  std::from_chars(value.data(), value.data() + value.size(), kibibytes);
  return kibibytes * 1024;
}

}  // namespace nasvm
