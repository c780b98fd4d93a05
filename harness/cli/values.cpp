#include "harness/cli/values.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "harness/text.hpp"
#include "vm/status.hpp"
#include "vm/system/runner.hpp"

namespace nasvm {
namespace {

char upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }

bool has_class(const Kernel& kernel, char letter) { return kernel.classes.find(letter) != std::string_view::npos; }

}  // namespace

std::string message_system_names() {
  std::vector<std::string> names;
  for (const SystemRow& row : message_systems()) {
    names.push_back(std::string(row.name) + (lack_for(row).empty() ? "" : " (not available: nasvm info)"));
  }
  return joined(names);
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  for (std::size_t end = text.find(separator); end != std::string::npos; end = text.find(separator, begin)) {
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  parts.push_back(text.substr(begin));
  return parts;
}

void check_format(std::string_view name, std::span<const Format> known) {
  if (find_format(name, known) != nullptr) return;
  throw UsageError(fmt::format("--format {}: not known; known are {}", name, joined(names_of(known))));
}

void check_different(const std::vector<std::string>& exports) {
  std::set<std::string> seen;
  for (const std::string& path : exports) {
    if (!path.empty() && !seen.insert(path).second) {
      throw UsageError(fmt::format("two exports to the one file {}: give each its own name", path));
    }
  }
}

std::string kernel_names() { return joined(names_of(kernels())); }

std::string class_names() {
  std::string letters;
  for (const Kernel& kernel : kernels()) {
    for (const char letter : kernel.classes) {
      if (letters.find(letter) == std::string::npos) letters += letter;
    }
  }
  return joined(letters);
}

std::span<const std::string_view> launcher_names() {
  static constexpr std::array<std::string_view, 4> names{"local", "ssh", "mpirun", "srun"};
  return names;
}

void check_launcher(const std::string& name) {
  const auto known = launcher_names();
  if (std::ranges::find(known, name) == known.end()) {
    throw UsageError(fmt::format("--launcher {}: not known; known are {}", name, joined(known)));
  }
  if (name != "local") throw UsageError(fmt::format("--launcher {}: not built yet; this version has local", name));
}

int parse_count(std::string_view option, const std::string& text, int least, int most) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool complete = end == text.data() + text.size() && !text.empty();
  if (error != std::errc() || !complete || value < least || value > most) {
    throw UsageError(fmt::format("{} {}: expected a whole number from {} to {}", option, text, least, most));
  }
  return value;
}

double parse_real(std::string_view option, const std::string& text, double least, double most) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool complete = end == text.data() + text.size() && !text.empty();
  if (error != std::errc() || !complete || !std::isfinite(value) || value <= least || value > most) {
    throw UsageError(fmt::format("{} {}: expected a number above {} and up to {}", option, text, least, most));
  }
  return value;
}

std::vector<const Kernel*> parse_kernels(const std::vector<std::string>& names) {
  std::vector<const Kernel*> chosen;
  const auto add = [&](const Kernel* kernel) {
    if (std::find(chosen.begin(), chosen.end(), kernel) == chosen.end()) chosen.push_back(kernel);
  };
  for (const std::string& list : names) {
    for (const std::string& name : split(list, ',')) {
      if (name == "all") {
        for (const Kernel& kernel : kernels()) add(&kernel);
      } else if (const Kernel* kernel = find_kernel(name)) {
        add(kernel);
      } else {
        throw UsageError(fmt::format("kernel '{}' is not known; known are {} and all", name, kernel_names()));
      }
    }
  }
  return chosen;
}

char parse_class(const std::string& text, const std::vector<const Kernel*>& chosen) {
  const char letter = text.size() == 1 ? upper(text[0]) : '?';
  for (const Kernel* kernel : chosen) {
    if (has_class(*kernel, letter)) continue;
    throw UsageError(
        fmt::format("--class {}: kernel {} has the classes {}", text, kernel->name, joined(kernel->classes)));
  }
  return letter;
}

std::vector<std::string> parse_transports(const std::string& list) {
  std::vector<std::string> orders = split(list, ',');
  for (const std::string& order : orders) (void)system_of(order);  // checks it
  if (std::set<std::string>(orders.begin(), orders.end()).size() != orders.size()) {
    throw UsageError(fmt::format("--transport {}: one is given twice; for more runs of each there is --runs", list));
  }
  return orders;
}

}  // namespace nasvm
