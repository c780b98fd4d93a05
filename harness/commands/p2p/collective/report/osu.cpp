#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "harness/commands/p2p/collective/cases.hpp"
#include "harness/commands/p2p/collective/collective.hpp"
#include "harness/commands/p2p/report/report.hpp"

namespace nasvm {
namespace {

// Widths of the fields in the OSU Micro-Benchmarks' output.
constexpr int size_width = 10;
constexpr int field_width = 18;

std::string title_of(const std::string& collective) {
  const Collective* found = find_collective(collective);
  return found == nullptr ? collective : std::string(found->title);
}

/// A barrier has no column of sizes.
bool has_sizes(const std::string& collective) {
  const Collective* found = find_collective(collective);
  return found == nullptr || found->element_bytes != 0;
}

std::string head(bool sizes, bool full) {
  std::string text = sizes ? fmt::format("{:<{}}{:>{}}", "# Size", size_width, "Avg Latency(us)", field_width)
                           : fmt::format("{:<{}}", "# Avg Latency(us)", field_width);
  if (full) {
    for (const char* title : {"Min Latency(us)", "Max Latency(us)", "Iterations"}) {
      text += fmt::format("{:>{}}", title, field_width);
    }
  }
  return text + "\n";
}

std::string line(const CollectiveCase& one, std::uint64_t bytes, bool sizes, bool full) {
  const auto field = [&](double (*figure)(const CollectiveRecord&), int decimals) {
    return one.wrong() ? fmt::format("{:>{}}", "-", field_width)
                       : fmt::format("{:>{}.{}f}", one.median_of(figure), field_width, decimals);
  };
  std::string text = sizes ? fmt::format("{:<{}}", bytes, size_width) : "";
  text += field([](const CollectiveRecord& r) { return r.average_us; }, 2);
  if (full) {
    text += field([](const CollectiveRecord& r) { return r.time.min_us; }, 2);
    text += field([](const CollectiveRecord& r) { return r.time.max_us; }, 2);
    text += field([](const CollectiveRecord& r) { return static_cast<double>(r.iterations); }, 0);
  }
  return text + "\n";
}

}  // namespace

std::string render_collective_osu(std::span<const Source> sources, bool full) {
  using Key = std::tuple<std::size_t, std::string, std::string, int>;
  std::vector<std::pair<Key, std::string>> blocks;
  for (const CollectiveGroup& group : group_collectives(sources)) {
    const bool sizes = has_sizes(group.collective);
    for (const CollectiveCase& one : group.cases) {
      const Key key{one.source, one.transport, group.collective, group.np};
      auto block = std::ranges::find(blocks, key, &std::pair<Key, std::string>::first);
      if (block == blocks.end()) {
        const std::string& version = sources[one.source].document.build.version;
        const std::string title =
            fmt::format("# OSU MPI {} Latency Test (layout; measured by nasvm {} over {}, {} tasks)\n",
                        title_of(group.collective), version, one.transport, group.np);
        block = blocks.insert(block, {key, title + head(sizes, full)});
      }
      block->second += line(one, group.bytes, sizes, full);
    }
  }
  std::string text;
  for (const auto& [key, block] : blocks) text += block + "\n";
  return text;
}

}  // namespace nasvm
