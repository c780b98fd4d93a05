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

int parse_skip(const std::string& text) {
  try {
    return parse_count("--skip-poll", text, 0, most_skip);
  } catch (const UsageError& error) {
    throw UsageError(fmt::format("{}, or adaptive", error.what()));
  }
}

/// The yardstick that is part of "raw-tcp:spin=1" or "direct+raw-tcp", or nullptr.
const Yardstick* yardstick_within(const std::string& path) {
  for (const std::string& one : split(path, '+')) {
    if (const Yardstick* yardstick = find_yardstick(one.substr(0, one.find(':')))) return yardstick;
  }
  return nullptr;
}

}  // namespace

std::vector<std::string> parse_collectives(const std::string& list) {
  std::vector<std::string> names = split(list, ',');
  if (list == "all") {
    names.clear();
    for (const Collective& collective : collectives()) names.emplace_back(collective.name);
  }
  for (const std::string& name : names) {
    if (name == "all") throw UsageError(fmt::format("--collective {}: all stands alone", list));
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
    skips.push_back(text == "adaptive" ? 0 : parse_skip(text));
  }
  refuse_repeats("--skip-poll", list, skips);
  return skips;
}

std::vector<std::string> parse_paths(const std::string& list) {
  std::vector<std::string> paths = split(list, ',');
  for (const std::string& path : paths) {
    if (find_yardstick(path) != nullptr) continue;
    if (const Yardstick* yardstick = yardstick_within(path)) {
      throw UsageError(fmt::format("--transport {}: {} is a yardstick, which has no parameters and stands alone",
                                   path, yardstick->name));
    }
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
