#include <algorithm>

#include <fmt/format.h>

#include "harness/cli/values.hpp"
#include "harness/commands/p2p/collective/collective.hpp"
#include "harness/commands/p2p/options.hpp"
#include "harness/commands/p2p/pair/yardstick.hpp"
#include "harness/text.hpp"
#include "vm/status.hpp"
#include "vm/system/table.hpp"

namespace nasvm {
namespace {

constexpr int most_skip = 65'536;

}  // namespace

std::vector<std::string> parse_collectives(const std::string& list) {
  std::vector<std::string> names = split(list, ',');
  if (list == "all") {
    names.clear();
    for (const Collective& collective : collectives()) names.emplace_back(collective.name);
  }
  for (const std::string& name : names) {
    if (find_collective(name) == nullptr) {
      const auto known = names_of(collectives());
      throw UsageError(
          fmt::format("--collective {}: not known{}; known are {}, all", name, hint(name, known), joined(known)));
    }
  }
  refuse_repeats("--collective", list, names);
  return names;
}

std::vector<int> parse_skips(const std::string& list) {
  std::vector<int> skips;
  for (const std::string& text : split(list, ',')) {
    skips.push_back(text == "adaptive" ? 0 : parse_count("--skip-poll", text, 0, most_skip));
  }
  refuse_repeats("--skip-poll", list, skips);
  return skips;
}

std::vector<std::string> parse_paths(const std::string& list) {
  std::vector<std::string> paths = split(list, ',');
  for (const std::string& path : paths) {
    if (find_yardstick(path) != nullptr) continue;
    try {
      (void)system_of(path);  // checks it
    } catch (const UsageError& error) {
      const auto known = names_of(yardsticks());
      throw UsageError(fmt::format("{}; yardsticks: {}{}", error.what(), joined(known), hint(path, known)));
    }
  }
  refuse_repeats("--transport", list, paths, "more runs of each");
  return paths;
}

}  // namespace nasvm
