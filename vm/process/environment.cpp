#include "vm/process/environment.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>

namespace nasvm {

std::string find_in_path(std::string_view program) {
  const char* path = std::getenv("PATH");
  std::string_view rest = path == nullptr ? "/usr/bin:/bin" : path;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    std::string candidate = std::string(rest.substr(0, end)) + "/" + std::string(program);
    if (::access(candidate.c_str(), X_OK) == 0) return candidate;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return {};
}

std::vector<std::string> environment_without(std::initializer_list<std::string_view> prefixes,
                                             std::span<const std::string> defaults) {
  std::vector<std::string> variables;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view variable = *entry;
    const auto begins_it = [&](std::string_view prefix) { return variable.starts_with(prefix); };
    if (std::ranges::none_of(prefixes, begins_it)) variables.emplace_back(variable);
  }
  for (const std::string& variable : defaults) {
    if (std::getenv(variable.substr(0, variable.find('=')).c_str()) == nullptr) variables.push_back(variable);
  }
  return variables;
}

}  // namespace nasvm
