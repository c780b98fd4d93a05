#include "harness/commands/reproduce/view.hpp"

#include <cmath>

#include <fmt/format.h>

#include "harness/commands/reproduce/efficiency.hpp"
#include "harness/commands/reproduce/lines.hpp"
#include "harness/commands/reproduce/report.hpp"
#include "harness/document/csv.hpp"

namespace nasvm {
namespace {

/// Empty where the result is wrong, or nothing was communicated.
std::string efficiency_text(const RunRecord& run, const TestbedRecord& testbed) {
  const double efficiency = communication_efficiency(static_cast<double>(run.comm.volume_bytes), run.comm.time_max_s,
                                                     capacity_bytes_s(testbed, run.np));
  return run.verified && std::isfinite(efficiency) ? fmt::format("{}", efficiency) : "";
}

}  // namespace

std::vector<Grid> reproduce_grids(std::span<const Source> sources, Columns) {
  return page_grids(sections_of(sources));
}

std::string reproduce_csv(std::span<const Source> sources) {
  CsvTable table({"file",       "testbed",    "rate_mbit_s", "medium", "kernel",       "class",    "np",
                  "variant",    "transport",  "verified",    "time_s", "volume_bytes", "messages", "time_max_s",
                  "idle_max_s", "efficiency", "created",     "hosts",  "version",      "commit",   changed_column});
  for (const Source& source : sources) {
    const TestbedRecord& testbed = testbed_of(source);
    for (const RunRecord& run : source.document.records<RunRecord>()) {
      const Cells own{{"testbed", testbed.name}, {"efficiency", efficiency_text(run, testbed)}};
      Cells of_testbed = cells_of(description_of(testbed));
      std::erase_if(of_testbed, [](const Cell& cell) { return cell.name == "hosts"; });  // that column names them
      table.add(source, together({own, of_testbed, cells_of(description_of(run))}));
    }
  }
  return table.text();
}

std::string render_reproduce_html(const Report& report) {
  return page_html(report_title, sections_of(report.sources));
}

}  // namespace nasvm
