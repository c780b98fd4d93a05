#include "harness/commands/reproduce/view.hpp"

#include <fmt/format.h>

#include "harness/commands/reproduce/efficiency.hpp"
#include "harness/commands/reproduce/lines.hpp"
#include "harness/commands/reproduce/report.hpp"
#include "harness/document/csv.hpp"
#include "harness/wrap.hpp"

namespace nasvm {

namespace {

constexpr std::size_t line_length = 110;

/// Title and paragraphs.
std::vector<std::string> lines_of(const Section& section) {
  std::vector<std::string> lines{section.title};
  for (const std::string& paragraph : section.text) lines.push_back(wrapped(paragraph, line_length));
  return lines;
}

}  // namespace

std::vector<Grid> reproduce_grids(std::span<const Source> sources, Columns) {
  std::vector<Grid> grids;
  for (Section& section : sections_of(sources)) {
    const std::vector<std::string> lines = lines_of(section);
    if (section.grids.empty()) {
      auto& above = grids.back().notes;
      above.emplace_back();
      above.insert(above.end(), lines.begin(), lines.end());
      continue;
    }
    auto& heading = section.grids.front().heading;
    heading.insert(heading.begin(), lines.begin(), lines.end());
    for (Grid& grid : section.grids) {
      for (std::string& note : grid.notes) note = wrapped(note, line_length);
      grids.push_back(std::move(grid));
    }
  }
  return grids;
}

std::string reproduce_csv(std::span<const Source> sources) {
  CsvTable table({"file",       "testbed",    "rate_mbit_s", "medium", "kernel",       "class",    "np",
                  "variant",    "transport",  "verified",    "time_s", "volume_bytes", "messages", "time_max_s",
                  "idle_max_s", "efficiency", "created",     "hosts",  "version",      "commit"});
  for (const Source& source : sources) {
    const TestbedRecord& testbed = testbed_of(source);
    for (const RunRecord& run : source.document.records<RunRecord>()) {
      const double efficiency = communication_efficiency(static_cast<double>(run.comm.volume_bytes),
                                                         run.comm.time_max_s, capacity_bytes_s(testbed, run.np));
      const Cells own{{"testbed", testbed.name}, {"efficiency", fmt::format("{}", efficiency)}};
      Cells of_testbed = cells_of(description_of(testbed));
      std::erase_if(of_testbed, [](const Cell& cell) { return cell.name == "hosts"; });  // that column names them
      table.add(source, together({own, of_testbed, cells_of(description_of(run))}));
    }
  }
  return table.text();
}

std::string render_reproduce_html(const Report& report) { return report_html(sections_of(report.sources)); }

}  // namespace nasvm
