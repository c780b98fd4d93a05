#include <algorithm>
#include <charconv>

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

constexpr std::uint64_t most_bytes = std::uint64_t{1} << 30;
constexpr int most_skip = 65'536;

[[noreturn]] void refuse_sizes(const std::string& text) {
  throw UsageError(fmt::format(
      "-m {}: expected MIN:MAX in bytes, such as 8:4k or 0:64M, MIN no more than MAX, MAX up to 1G", text));
}

/// Bytes of "4k"; `all` is for the complaint.
std::uint64_t parse_bytes(const std::string& text, const std::string& all) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const std::string ending(end, static_cast<const char*>(text.data() + text.size()));
  const bool known =
      ending.empty() || (ending.size() == 1 && std::string_view("kKmMgG").find(ending[0]) != std::string_view::npos);
  if (error != std::errc() || !known || value > most_bytes) refuse_sizes(all);
  if (ending.empty()) return value;
  const int shift = ending == "k" || ending == "K" ? 10 : ending == "m" || ending == "M" ? 20 : 30;
  if (value > (most_bytes >> shift)) refuse_sizes(all);
  return value << shift;
}

}  // namespace

std::vector<std::uint64_t> parse_sizes(const std::string& text) {
  const std::size_t colon = text.find(':');
  const std::string least = colon == std::string::npos ? "0" : text.substr(0, colon);
  std::string most = colon == std::string::npos ? text : text.substr(colon + 1);
  if (most.empty() && colon != std::string::npos) most = "4M";
  const std::uint64_t last = parse_bytes(most, text);
  std::vector<std::uint64_t> sizes;
  for (std::uint64_t size = parse_bytes(least, text); size <= last; size = std::max<std::uint64_t>(1, 2 * size)) {
    sizes.push_back(size);
  }
  if (sizes.empty()) refuse_sizes(text);
  return sizes;
}

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
