#include "harness/commands/io/paper/report.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "harness/commands/io/paper/tables.hpp"
#include "harness/commands/io/record.hpp"
#include "harness/commands/io/views.hpp"
#include "harness/report/cases.hpp"
#include "harness/report/condition_lines.hpp"
#include "harness/report/heading.hpp"
#include "harness/report/numbers.hpp"
#include "harness/report/plot.hpp"
#include "harness/session/output.hpp"

namespace nasvm {
namespace {

using Case = CaseOf<IoRecord>;
using Records = std::vector<const IoRecord*>;

constexpr std::array<std::string_view, 2> methods{"edonio", "posix"};
constexpr double bytes_per_mb = 1e6;

IoPhases phases_of(const IoRecord& record) {
  const IoTimes& time = record.time;
  return {time.open_to_write_s, time.write_s, time.close_written_s, time.open_to_read_s,
          time.preload_s,       time.read_s,  time.close_read_s};
}

double writing_s(const IoPhases& phases) { return phases[0] + phases[1] + phases[2]; }
double reading_s(const IoPhases& phases) { return phases[3] + phases[4] + phases[5] + phases[6]; }

Records records_of(const Document& document, const PaperTable& table) {
  Records found;
  for (const IoRecord& record : document.records<IoRecord>()) {
    if (record.table == table.name) found.push_back(&record);
  }
  return found;
}

/// The repeats of one case, those that are set apart only where there are no others; there may be none.
Case case_of(const Document& document, const PaperTable& table, std::string_view method, int x) {
  Case found{0, std::string(method), records_of(document, table)};
  std::erase_if(found.records,
                [&](const IoRecord* record) { return record->method != method || table.x(*record) != x; });
  keep_alike(found.records);
  return found;
}

/// Not numbers where one has read wrong.
IoPhases medians_of(const Case& one) {
  IoPhases medians{};
  for (std::size_t phase = 0; phase < medians.size(); ++phase) {
    medians[phase] = one.median_of([phase](const IoRecord& record) { return phases_of(record)[phase]; });
  }
  return medians;
}

const PaperLine* line_of(const PaperTable& table, std::string_view method, int x) {
  const auto found =
      std::ranges::find_if(table.lines, [&](const PaperLine& line) { return line.method == method && line.x == x; });
  return found == table.lines.end() ? nullptr : &*found;
}

/// The places of all lines, the paper's and ours.
std::set<int> places_of(const PaperTable& table, const Document& document) {
  std::set<int> places;
  for (const PaperLine& line : table.lines) places.insert(line.x);
  for (const IoRecord* record : records_of(document, table)) places.insert(table.x(*record));
  return places;
}

std::string_view name_in_paper(std::string_view method) { return method == "posix" ? "NX" : "EDONIO"; }

void append_phases(Row& row, const IoPhases& phases) {
  for (const double time_s : phases) row.cells.push_back(number_text(time_s));
}

Row paper_row(const PaperLine& line) {
  Row row{{std::to_string(line.x), std::string(name_in_paper(line.method)), "paper"}};
  append_phases(row, line.times_s);
  row.cells.resize(16);
  return row;
}

Row own_row(const Case& one, int x) {
  Row row{{std::to_string(x), one.transport, "here"}};
  append_phases(row, medians_of(one));
  const auto add = [&](auto value) { row.cells.push_back(number_text(one.median_of(value))); };
  add([](const IoRecord& r) { return static_cast<double>(r.cost.disk_bytes) / bytes_per_mb; });
  const auto add_count = [&](auto value) { row.cells.push_back(fixed_text(one.median_of(value), 0)); };
  add_count([](const IoRecord& r) { return static_cast<double>(r.cost.batches + r.cost.questions); });
  add_count([](const IoRecord& r) { return static_cast<double>(r.cost.hits); });
  add_count([](const IoRecord& r) { return static_cast<double>(r.cost.misses); });
  add([](const IoRecord& r) { return r.communication_s; });
  add([](const IoRecord& r) { return r.idle_s; });
  return row;
}

Grid grid_of(const PaperTable& table, const Document& document) {
  Grid grid;
  grid.columns = {{std::string(table.x_title), ""}, {"Method", "", Align::left}, {"", "", Align::left}};
  for (const std::string_view name : io_phase_names) grid.columns.push_back({std::string(name), "(s)"});
  for (const auto& [title, unit] : {std::pair{"Disk", "(MB)"},
                                    {"Messages", ""},
                                    {"Hits", ""},
                                    {"Misses", ""},
                                    {"Comm.", "(s)"},
                                    {"Idle", "(s)"}}) {
    grid.columns.push_back({title, unit});
  }
  for (const int x : places_of(table, document)) {
    Block block;
    for (const std::string_view method : methods) {
      if (const PaperLine* line = line_of(table, method, x)) block.rows.push_back(paper_row(*line));
      const Case own = case_of(document, table, method, x);
      if (!own.records.empty()) block.rows.push_back(own_row(own, x));
    }
    if (!block.rows.empty()) grid.blocks.push_back(std::move(block));
  }
  return grid;
}

/// One side of a table over its places: the paper's lines and ours.
Chart chart_of(const PaperTable& table, const Document& document, const std::string& side,
               double (*time_of)(const IoPhases& phases)) {
  Chart chart;
  chart.title = fmt::format("Table {}: {} (s)", table.name, side);
  const bool is_switch = table.name == "5.2";
  chart.x = {std::string(table.x_title), is_switch ? Scale::linear : Scale::logarithmic};
  chart.y = {"", Scale::logarithmic};
  for (const std::string_view method : methods) {
    Line paper{fmt::format("{}, Paragon, 1995", name_in_paper(method)), {}};
    Line own{fmt::format("{}, here", method), {}};
    for (const int x : places_of(table, document)) {
      if (const PaperLine* line = line_of(table, method, x)) {
        paper.points.push_back({static_cast<double>(x), time_of(line->times_s)});
      }
      const Case measured = case_of(document, table, method, x);
      if (measured.records.empty() || measured.wrong()) continue;
      own.points.push_back({static_cast<double>(x), time_of(medians_of(measured))});
    }
    for (Line* line : {&paper, &own}) {
      if (!line->points.empty()) chart.lines.push_back(std::move(*line));
    }
  }
  return chart;
}

/// Of a table that has records.
Section section_of(const PaperTable& table, const Document& document) {
  const Records records = records_of(document, table);
  Section section{std::string(table.title)};
  section.text = {std::string(table.finding),
                  fmt::format("Measured here: {0} x {0} x {0} elements.", records.front()->grid)};
  for (std::string& line : wrong_lines(records, "run", "read wrong")) section.text.push_back(std::move(line));
  section.grids = {grid_of(table, document)};
  const std::array charts{chart_of(table, document, "open, write, close", writing_s),
                          chart_of(table, document, "open, preload, read, close", reading_s)};
  section.pictures = {{fmt::format("table-{}.svg", table.name), svg_of(charts, 2)}};
  return section;
}

Section conditions_of(const Source& source) {
  Section section{"How it was measured"};
  section.text = heading_lines(std::span(&source, 1));
  section.text.emplace_back(
      "The program of the paper's appendix: columns of elements, dealt out to tasks, each written and read in one "
      "access. Medians of all repeats; the two methods take turns. The paper's NX is the file system of its machine, "
      "ours posix (pwrite, pread); reads come from the page cache. Disk: what the file cache wrote and read. "
      "Messages: "
      "of writes, and of questions to owners. Comm. and idle: the largest of any task.");
  for (std::string& line : folder_lines(std::span(&source, 1))) section.text.push_back(std::move(line));
  for (std::string& line : condition_lines<IoRecord>(std::span(&source, 1))) section.text.push_back(std::move(line));
  return section;
}

}  // namespace

std::vector<Section> paper_sections(const Source& source) {
  std::vector<Section> sections;
  for (const PaperTable& table : paper_tables()) {
    if (!records_of(source.document, table).empty()) sections.push_back(section_of(table, source.document));
  }
  sections.push_back(conditions_of(source));
  return sections;
}

void write_paper_report(const std::string& folder, const Document& measured) {
  const Source source{folder + "/tables.json", measured};
  const std::vector<Section> sections = paper_sections(source);
  OutputFile(folder + "/report.md").rewrite(page_markdown(paper_report_title, sections));
  OutputFile(folder + "/report.html").rewrite(page_html(paper_report_title, sections));
  for (const Section& section : sections) {
    for (const Picture& picture : section.pictures) OutputFile(folder + "/" + picture.file).rewrite(picture.svg);
  }
}

}  // namespace nasvm
