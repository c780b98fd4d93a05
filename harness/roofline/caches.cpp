#include "harness/roofline/caches.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <string>

namespace nasvm {
namespace {

constexpr int most_indices = 16;

std::string first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

/// The number at the beginning; what comes after it stays in `text`.
std::uint64_t take_number(std::string_view& text) {
  std::uint64_t value = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), value).ptr;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

}  // namespace

std::uint64_t cache_bytes(std::string_view text) {
  const std::uint64_t value = take_number(text);
  if (text.empty()) return value;
  if (text == "K") return value << 10;
  return text == "M" ? value << 20 : 0;
}

int count_of_list(std::string_view text) {
  int count = 0;
  while (!text.empty()) {
    const std::uint64_t first = take_number(text);
    std::uint64_t last = first;
    if (text.starts_with('-')) {
      text.remove_prefix(1);
      last = take_number(text);
    }
    count += static_cast<int>(last - first) + 1;
    if (text.empty() || text.front() != ',') break;
    text.remove_prefix(1);
  }
  return count;
}

std::vector<Cache> local_caches() {
  std::vector<Cache> caches;
  for (int index = 0; index < most_indices; ++index) {
    const std::string folder = "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index) + "/";
    const std::string type = first_line(folder + "type");
    if (type != "Data" && type != "Unified") continue;
    std::string level = first_line(folder + "level");
    std::string_view level_text = level;
    const Cache cache{static_cast<int>(take_number(level_text)), cache_bytes(first_line(folder + "size")),
                      std::max(1, count_of_list(first_line(folder + "shared_cpu_list")))};
    if (cache.bytes > 0) caches.push_back(cache);
  }
  std::ranges::sort(caches, {}, &Cache::level);
  if (caches.empty()) caches = {{1, 32 << 10, 1}, {2, 1 << 20, 1}};
  return caches;
}

}  // namespace nasvm
