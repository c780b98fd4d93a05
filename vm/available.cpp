#include "vm/available.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <linux/capability.h>
#include <sys/resource.h>

#include "vm/proc.hpp"

namespace nasvm {
namespace {

constexpr std::uint64_t no_limit = std::numeric_limits<std::uint64_t>::max();

/// The number that a text begins with; `otherwise` when it begins with none.
std::uint64_t number_or(std::uint64_t otherwise, std::string_view text, int base = 10) {
  std::uint64_t value = otherwise;
  std::from_chars(text.data(), text.data() + text.size(), value, base);
  return value;
}

std::uint64_t rest_of(std::uint64_t whole, std::uint64_t part) { return whole - std::min(whole, part); }

/// All threads that there are: the second number of "1/243", the fourth word of /proc/loadavg.
std::uint64_t present_threads(std::string_view loadavg) {
  const auto slash = loadavg.find('/');
  return slash == std::string_view::npos ? 0 : number_or(0, loadavg.substr(slash + 1));
}

/// The real user of a process, by the text of its /proc/PID/status; `no_limit` where it says none.
std::uint64_t user_of(std::string_view status) { return number_or(no_limit, proc_value(status, "Uid")); }

/// Does the system let that process pass its user's limit (setrlimit(2), RLIMIT_NPROC)?
bool may_pass_limit(std::string_view status) {
  constexpr std::uint64_t one = 1;
  constexpr std::uint64_t passing = (one << CAP_SYS_RESOURCE) | (one << CAP_SYS_ADMIN);
  return user_of(status) == 0 || (number_or(0, proc_value(status, "CapEff"), 16) & passing) != 0;
}

std::uint64_t threads_of_user(std::uint64_t user, const std::filesystem::path& root) {
  std::uint64_t threads = 0;
  for (const pid_t process : all_processes(root)) {
    const std::string status = proc_text(root / "proc" / std::to_string(process) / "status");
    if (user_of(status) == user) threads += number_or(1, proc_value(status, "Threads"));
  }
  return threads;
}

/// The number behind a key in text of the form "key number" per line, or 0.
std::uint64_t number_behind(std::string_view key, const std::string& text) {
  std::istringstream words(text);
  std::string name;
  for (std::uint64_t number = 0; words >> name >> number;) {
    if (name == key) return number;
  }
  return 0;
}

/// Version 1 has a tree of groups for each controller, version 2 one for all of them (cgroups(7); Linux,
/// Documentation/admin-guide/cgroup-v2.rst). Folders that may have a controller's files on this process: its
/// groups', and those of the groups around them. A container need not see the path that /proc names; then there are
/// no folders of that, but the outermost is its own.
std::vector<std::filesystem::path> group_folders(std::string_view controller, const std::filesystem::path& root) {
  std::vector<std::filesystem::path> folders;
  std::istringstream lines(proc_text(root / "proc/self/cgroup"));
  std::string number;
  std::string controllers;
  std::string path;
  // "4:memory:/a/b", or of version 2 "0::/a/b".
  while (std::getline(lines, number, ':') && std::getline(lines, controllers, ':') && std::getline(lines, path)) {
    std::filesystem::path folder = root / "sys/fs/cgroup";
    if (!controllers.empty()) {
      if (("," + controllers + ",").find("," + std::string(controller) + ",") == std::string::npos) continue;
      folder /= controller;
    }
    folders.push_back(folder);
    for (const auto& part : std::filesystem::path(path).lexically_normal().relative_path()) {
      folder /= part;
      folders.push_back(folder);
    }
  }
  return folders;
}

}  // namespace

std::uint64_t memory_left_by_groups(const std::filesystem::path& root) {
  struct Names {
    const char* limit;
    const char* used;
    std::array<const char*, 2> cached;
  };
  static constexpr std::array<Names, 2> versions{
      {{"memory.max", "memory.current", {"active_file", "inactive_file"}},
       {"memory.limit_in_bytes", "memory.usage_in_bytes", {"total_active_file", "total_inactive_file"}}}};
  std::uint64_t left = no_limit;
  for (const std::filesystem::path& folder : group_folders("memory", root)) {
    for (const Names& names : versions) {
      const std::uint64_t limit = number_or(no_limit, proc_text(folder / names.limit));
      if (limit == no_limit) continue;
      const std::string statistics = proc_text(folder / "memory.stat");
      std::uint64_t used = number_or(0, proc_text(folder / names.used));
      for (const char* key : names.cached) used = rest_of(used, number_behind(key, statistics));
      left = std::min(left, rest_of(limit, used));
    }
  }
  return left;
}

std::uint64_t threads_left_by_groups(const std::filesystem::path& root) {
  std::uint64_t left = no_limit;
  for (const std::filesystem::path& folder : group_folders("pids", root)) {
    const std::uint64_t limit = number_or(no_limit, proc_text(folder / "pids.max"));
    if (limit != no_limit) left = std::min(left, rest_of(limit, number_or(0, proc_text(folder / "pids.current"))));
  }
  return left;
}

std::uint64_t threads_left_by_system(const std::filesystem::path& root) {
  std::uint64_t most = no_limit;
  for (const char* name : {"proc/sys/kernel/threads-max", "proc/sys/kernel/pid_max"}) {
    most = std::min(most, number_or(no_limit, proc_text(root / name)));
  }
  return most == no_limit ? most : rest_of(most, present_threads(proc_text(root / "proc/loadavg")));
}

std::uint64_t threads_left_to_user(std::uint64_t limit, const std::filesystem::path& root) {
  const std::string status = proc_text(root / "proc/self/status");
  if (limit == no_limit || may_pass_limit(status)) return no_limit;
  return rest_of(limit, threads_of_user(user_of(status), root));
}

std::uint64_t available_threads() {
  rlimit limit{};
  const bool has_limit = ::getrlimit(RLIMIT_NPROC, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
  const std::uint64_t left_to_user = has_limit ? threads_left_to_user(limit.rlim_cur) : no_limit;
  return std::min({threads_left_by_system(), left_to_user, threads_left_by_groups()});
}

std::uint64_t available_memory_bytes(const std::filesystem::path& root) {
  const std::uint64_t bytes = meminfo_bytes(proc_text(root / "proc/meminfo"), "MemAvailable");
  return std::min(bytes == 0 ? no_limit : bytes, memory_left_by_groups(root));
}

}  // namespace nasvm
