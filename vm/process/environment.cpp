#include "vm/process/environment.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>

namespace nasvm::process {

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

}  // namespace nasvm::process
