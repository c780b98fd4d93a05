#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "harness/commands/p2p/report/report.hpp"
#include "harness/document/csv.hpp"
#include "harness/report/grid.hpp"
#include "harness/report/heading.hpp"
#include "harness/report/numbers.hpp"
#include "harness/statistics.hpp"
#include "vm/status.hpp"

namespace nasvm {
namespace {

/// The repeats of both transports at one size and one skip_poll of one document.
struct MixedRow {
  std::size_t source = 0;
  std::uint64_t bytes = 0;
  int skip_poll = 0;
  std::vector<double> cheap_us, expensive_us;  ///< one way, means
};

/// The two transports: those of the first record, cheap before expensive.
struct Pairing {
  std::string cheap, expensive;
};

Pairing pairing_of(std::span<const Source> sources) {
  const MixedRecord& first = sources.front().document.mixed.front();
  const Pairing pairing{first.transport, first.beside};
  for (const Source& source : sources) {
    for (const MixedRecord& record : source.document.mixed) {
      const bool known = (record.transport == pairing.cheap && record.beside == pairing.expensive) ||
                         (record.transport == pairing.expensive && record.beside == pairing.cheap);
      if (!known) {
        throw UsageError(fmt::format("{} has {} beside {}, not {} beside {}: compare like with like", source.file,
                                     record.transport, record.beside, pairing.cheap, pairing.expensive));
      }
    }
  }
  return pairing;
}

MixedRow& row_of(std::vector<MixedRow>& rows, std::size_t source, const MixedRecord& record) {
  const auto found = std::ranges::find_if(rows, [&](const MixedRow& row) {
    return row.source == source && row.bytes == record.bytes && row.skip_poll == record.skip_poll;
  });
  if (found != rows.end()) return *found;
  rows.push_back({source, record.bytes, record.skip_poll, {}, {}});
  return rows.back();
}

/// By size, then by skip_poll as asked for (the first run has them in that order), then by document.
std::vector<MixedRow> rows_of(std::span<const Source> sources, const Pairing& pairing) {
  std::vector<MixedRow> rows;
  for (std::size_t source = 0; source < sources.size(); ++source) {
    for (const MixedRecord& record : sources[source].document.mixed) {
      MixedRow& row = row_of(rows, source, record);
      (record.transport == pairing.cheap ? row.cheap_us : row.expensive_us).push_back(record.latency.mean_us);
    }
  }
  std::ranges::stable_sort(rows, {}, &MixedRow::bytes);
  return rows;
}

std::string skip_text(int skip_poll) { return skip_poll == 0 ? "adaptive" : std::to_string(skip_poll); }

std::string spread_text(const std::vector<double>& values) {
  if (values.size() < 2) return "";
  const Summary summary = summarize(values);
  return summary.median == 0 ? "-" : fmt::format("{:.0f} %", 100 * (summary.max - summary.min) / summary.median);
}

/// The medians of one transport's times in rows of one size, with their points below each other.
std::vector<std::string> figure_cells(std::span<const MixedRow> rows, std::vector<double> MixedRow::*times) {
  std::vector<double> medians;
  for (const MixedRow& row : rows) medians.push_back((row.*times).empty() ? 0 : median(row.*times));
  std::vector<std::string> cells;
  for (const double value : medians) cells.push_back(fixed_text(value, decimals_for(medians)));
  return cells;
}

Block block_of(std::span<const MixedRow> rows, bool files) {
  const auto cheap = figure_cells(rows, &MixedRow::cheap_us);
  const auto expensive = figure_cells(rows, &MixedRow::expensive_us);
  Block block;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    Row row;
    row.cells.push_back(i == 0 ? std::to_string(rows[i].bytes) : "");
    if (files) row.cells.push_back(source_label(rows[i].source));
    row.cells.insert(row.cells.end(), {skip_text(rows[i].skip_poll), cheap[i], spread_text(rows[i].cheap_us),
                                       expensive[i], spread_text(rows[i].expensive_us)});
    block.rows.push_back(std::move(row));
  }
  return block;
}

bool all_bound(std::span<const Source> sources) {
  return std::ranges::all_of(
      sources, [](const Source& source) { return std::ranges::all_of(source.document.mixed, &MixedRecord::bound); });
}

Grid make_mixed_grid(std::span<const Source> sources) {
  const Pairing pairing = pairing_of(sources);
  const std::vector<MixedRow> rows = rows_of(sources, pairing);
  const bool files = sources.size() > 1;
  Grid grid;
  grid.heading = heading_lines(sources);
  grid.columns = {{"Bytes", "", Align::right}};
  if (files) grid.columns.push_back({"File", "", Align::left});
  grid.columns.push_back({"skip_poll", "", Align::right});
  for (const std::string& name : {pairing.cheap, pairing.expensive}) {
    grid.columns.push_back({name, "one way (us)", Align::right});
    grid.columns.push_back({"Spread", "", Align::right});
  }
  for (auto begin = rows.begin(); begin != rows.end();) {
    const auto end = std::find_if(begin, rows.end(), [&](const MixedRow& row) { return row.bytes != begin->bytes; });
    grid.blocks.push_back(block_of({begin, end}, files));
    begin = end;
  }
  grid.notes = {
      "Two ping-pongs of one task at once, each with a peer of its own; one way: half a round trip, the mean of a "
      "run.",
      "skip_poll: cheap looks at memory for each look at every method. The paper's Figures 6 and 7 (ppmulti)."};
  grid.notes.push_back(all_bound(sources)
                           ? "Each task was bound to a core of its own."
                           : "Tasks were not bound to cores of their own; with fewer than three cores, "
                             "both peers share one.");
  grid.notes.push_back("Medians of the runs, taken in alternating order. Spread: (largest - smallest) / median.");
  return grid;
}

}  // namespace

std::string render_mixed_table(std::span<const Source> sources, bool) { return text_of(make_mixed_grid(sources)); }

std::string render_mixed_markdown(std::span<const Source> sources, bool) {
  return markdown_of(make_mixed_grid(sources));
}

std::string render_mixed_csv(std::span<const Source> sources, bool) {
  std::string text =
      "file,transport,beside,skip_poll,bytes,repeat,latency_us,latency_mean_us,latency_min_us,latency_p99_us,"
      "latency_max_us,iterations,bound\n";
  for (const Source& source : sources) {
    for (const MixedRecord& record : source.document.mixed) {
      text += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{}\n", csv_field(source.file),
                          csv_field(record.transport), csv_field(record.beside), record.skip_poll, record.bytes,
                          record.repeat, record.latency.median_us, record.latency.mean_us, record.latency.min_us,
                          record.latency.p99_us, record.latency.max_us, record.iterations, record.bound);
    }
  }
  return text;
}

}  // namespace nasvm
