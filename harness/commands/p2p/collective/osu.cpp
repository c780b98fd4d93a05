#include "harness/commands/p2p/osu.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "harness/commands/p2p/collective/collective.hpp"
#include "harness/commands/p2p/collective/views.hpp"

namespace nasvm {
namespace {

using Field = OsuColumn<CollectiveRecord>;

constexpr std::array<Field, 4> fields{
    Field{"Avg Latency(us)", [](const CollectiveRecord& r) { return r.average_us; }},
    Field{"Min Latency(us)", [](const CollectiveRecord& r) { return r.time.min_us; }},
    Field{"Max Latency(us)", [](const CollectiveRecord& r) { return r.time.max_us; }},
    Field{"Iterations", [](const CollectiveRecord& r) { return static_cast<double>(r.iterations); }, 0}};

/// The lines of one collective over one path, in the order in which they stand in the output.
struct TestBlock {
  std::size_t source = 0;
  CollectiveRecord first;
  std::string text;
};

/// A barrier has no column of sizes.
bool has_sizes(const Collective* collective) { return collective == nullptr || collective->element_bytes != 0; }

std::string head(const Document& document, const CollectiveRecord& record, std::span<const Field> shown) {
  const Collective* collective = find_collective(record.collective);
  const std::string title = collective == nullptr ? record.collective : std::string(collective->title);
  const std::string over = fmt::format("{}, {} tasks", record.transport, record.np);
  const std::string first = has_sizes(collective) ? osu_size("# Size") + osu_field(shown.front().title)
                                                  : osu_first_title(fmt::format("# {}", shown.front().title));
  return osu_title(title + " Latency", document, over) + first + osu_titles(shown.subspan(1)) + "\n";
}

std::string line(const CaseOf<CollectiveRecord>& one, std::span<const Field> shown) {
  const CollectiveRecord& record = *one.records.front();
  const bool sizes = has_sizes(find_collective(record.collective));
  return (sizes ? osu_size(std::to_string(record.bytes)) : "") + osu_figures(one, shown) + "\n";
}

TestBlock& block_of(std::vector<TestBlock>& blocks, std::size_t source, const CollectiveRecord& record) {
  const auto found = std::ranges::find_if(blocks, [&](const TestBlock& block) {
    return block.source == source && block.first.transport == record.transport &&
           block.first.collective == record.collective && block.first.np == record.np;
  });
  return found != blocks.end() ? *found : blocks.emplace_back(TestBlock{source, record, ""});
}

}  // namespace

std::string render_collective_osu(const Report& report) {
  const auto shown = std::span<const Field>(fields).first(report.columns == Columns::all ? fields.size() : 1);
  std::vector<TestBlock> blocks;
  for (const auto& group : group_collectives(report.sources)) {
    for (const auto& one : group.cases) {
      TestBlock& block = block_of(blocks, one.source, *one.records.front());
      if (block.text.empty()) block.text = head(report.sources[one.source].document, block.first, shown);
      block.text += line(one, shown);
    }
  }
  std::string text;
  for (const TestBlock& block : blocks) text += block.text + "\n";
  return text;
}

}  // namespace nasvm
