#include <vector>

#include <fmt/format.h>

#include "harness/commands/p2p/cases.hpp"
#include "harness/commands/p2p/report/report.hpp"

namespace nasvm {
namespace {

// Widths of the fields in the OSU Micro-Benchmarks' output.
constexpr int size_width = 10;
constexpr int field_width = 18;

using Figure = double (*)(const P2pRecord&);

/// One program of theirs: its name, and what it prints for each size.
struct Test {
  std::string_view name;
  std::vector<std::pair<std::string_view, Figure>> columns;
  std::vector<std::pair<std::string_view, Figure>> full_columns;  ///< what -f adds
  bool with_empty;                                                ///< does it begin at 0 bytes
};

double iterations(const P2pRecord& record) { return static_cast<double>(record.iterations); }

const std::vector<Test>& tests() {
  static const std::vector<Test> all{
      {"Latency",
       {{"Latency (us)", [](const P2pRecord& r) { return r.latency.mean_us; }}},
       {{"Min Latency(us)", [](const P2pRecord& r) { return r.latency.min_us; }},
        {"Max Latency(us)", [](const P2pRecord& r) { return r.latency.max_us; }},
        {"Iterations", iterations}},
       true},
      {"Bandwidth", {{"Bandwidth (MB/s)", [](const P2pRecord& r) { return r.bandwidth.mean_mb_s; }}}, {}, false},
      {"Bi-Directional Bandwidth",
       {{"Bandwidth (MB/s)", [](const P2pRecord& r) { return r.bidirectional.mean_mb_s; }}},
       {},
       false},
      {"Multiple Bandwidth / Message Rate",
       {{"MB/s", [](const P2pRecord& r) { return r.bandwidth.mean_mb_s; }},
        {"Messages/s",
         [](const P2pRecord& r) { return r.bandwidth.mean_mb_s * 1e6 / static_cast<double>(r.bytes); }}},
       {},
       false},
  };
  return all;
}

std::string head(const Test& test, const std::vector<std::pair<std::string_view, Figure>>& columns, bool checked) {
  std::string text = fmt::format("{:<{}}", "# Size", size_width);
  for (const auto& [title, figure] : columns) text += fmt::format("{:>{}}", title, field_width);
  if (checked) text += fmt::format("{:>{}}", "Validation", field_width);
  const bool rate = test.name.starts_with("Multiple");
  return (rate ? "# [ pairs: 1 ]\n" : "") + text + "\n";
}

std::string line(const P2pCase& one, std::uint64_t bytes,
                 const std::vector<std::pair<std::string_view, Figure>>& columns, bool checked) {
  std::string text = fmt::format("{:<{}}", bytes, size_width);
  for (const auto& [title, figure] : columns) {
    text += one.wrong() ? fmt::format("{:>{}}", "-", field_width)
                        : fmt::format("{:>{}.{}f}", one.median_of(figure), field_width, figure == iterations ? 0 : 2);
  }
  if (checked) text += fmt::format("{:>{}}", one.wrong() ? "Fail" : "Pass", field_width);
  return text + "\n";
}

std::string block(const Test& test, const std::vector<P2pGroup>& groups, std::size_t source,
                  const std::string& transport, bool full) {
  auto columns = test.columns;
  if (full) columns.insert(columns.end(), test.full_columns.begin(), test.full_columns.end());
  std::string lines;
  bool checked = false;
  for (const P2pGroup& group : groups) {
    const P2pCase* one = group.find(source, transport);
    if (one == nullptr || (group.bytes == 0 && !test.with_empty)) continue;
    checked = one->records.front()->data != DataCheck::none;
    lines += line(*one, group.bytes, columns, checked);
  }
  return lines.empty() ? "" : head(test, columns, checked) + lines;
}

}  // namespace

std::string render_p2p_osu(std::span<const Source> sources, bool full) {
  const std::vector<P2pGroup> groups = group_p2p(sources);
  std::string text;
  for (std::size_t source = 0; source < sources.size(); ++source) {
    const Document& document = sources[source].document;
    for (const std::string& transport : paths_of(document)) {
      for (const Test& test : tests()) {
        const std::string lines = block(test, groups, source, transport, full);
        if (lines.empty()) continue;
        text += fmt::format("# OSU MPI {} Test (layout; measured by nasvm {} over {})\n{}\n", test.name,
                            document.build.version, transport, lines);
      }
    }
  }
  return text;
}

}  // namespace nasvm
