// What control groups allow. Version 1 has a tree of groups for each controller, version 2 one for all of them
// (cgroups(7); Linux, Documentation/admin-guide/cgroup-v2.rst).

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <sstream>
#include <string>

#include "vm/proc.hpp"

namespace nasvm {
namespace {

constexpr std::uint64_t no_limit = std::numeric_limits<std::uint64_t>::max();

/// The number in a file; `otherwise` where there is no file, or none in it ("max").
std::uint64_t number_in(const std::filesystem::path& file, std::uint64_t otherwise) {
  const std::string text = proc_text(file);
  std::uint64_t number = otherwise;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
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

/// Folders that may have a controller's files on this process: its groups', and those of the groups around them. A
/// container need not see the path that /proc names; then there are no folders of that, but the outermost is its own.
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

std::uint64_t rest_of(std::uint64_t whole, std::uint64_t part) { return whole - std::min(whole, part); }

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
      const std::uint64_t limit = number_in(folder / names.limit, no_limit);
      if (limit == no_limit) continue;
      const std::string statistics = proc_text(folder / "memory.stat");
      std::uint64_t used = number_in(folder / names.used, 0);
      for (const char* key : names.cached) used = rest_of(used, number_behind(key, statistics));
      left = std::min(left, rest_of(limit, used));
    }
  }
  return left;
}

std::uint64_t threads_left_by_groups(const std::filesystem::path& root) {
  std::uint64_t left = no_limit;
  for (const std::filesystem::path& folder : group_folders("pids", root)) {
    const std::uint64_t limit = number_in(folder / "pids.max", no_limit);
    if (limit != no_limit) left = std::min(left, rest_of(limit, number_in(folder / "pids.current", 0)));
  }
  return left;
}

}  // namespace nasvm
