#include "harness/commands/mcast/figures/report.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "harness/commands/mcast/figures/figure.hpp"
#include "harness/commands/mcast/figures/record.hpp"
#include "harness/report/cases.hpp"
#include "harness/report/condition_lines.hpp"
#include "harness/report/distinct.hpp"
#include "harness/report/heading.hpp"
#include "harness/report/numbers.hpp"

namespace nasvm {
namespace {

using Records = std::vector<const McastRecord*>;

constexpr double ms_per_s = 1e3;
constexpr double not_known = std::numeric_limits<double>::quiet_NaN();

/// Of a figure: what is right and has a time, and what is wrong.
Records records_of(const Document& document, std::string_view figure) {
  Records found;
  for (const McastRecord& record : document.records<McastRecord>()) {
    if (record.figure != figure) continue;
    if (!is_right(record) || !std::isnan(record.time.median_s)) found.push_back(&record);
  }
  return found;
}

/// Of a case's repeats, those that are set apart only where there are no others; not a number when there are none, or
/// when one is wrong.
template <typename Value>
double median_over(Records records, Value value) {
  if (records.empty()) return not_known;
  keep_alike(records);
  return CaseOf<McastRecord>{0, "", std::move(records)}.median_of(value);
}

template <typename Holds>
Records those(const Records& records, Holds holds) {
  Records found;
  std::ranges::copy_if(records, std::back_inserter(found), [&](const McastRecord* record) { return holds(*record); });
  return found;
}

double time_ms(const McastRecord& record) { return record.time.median_s * ms_per_s; }
double rate_mbit_s(const McastRecord& record) { return record.throughput_mbit_s(); }

/// One chart of a figure: its lines, and where their points lie.
struct Panel {
  std::string title;
  std::vector<std::string> lines;
  std::vector<double> xs;
  Records records;
};

std::vector<Panel> panels_of(const McastFigure& figure, const Records& records) {
  std::vector<Panel> panels;
  for (const std::string& title :
       distinct(records, [&](const McastRecord* record) { return figure.chart(*record); })) {
    Panel panel{title, {}, {}, those(records, [&](const McastRecord& r) { return figure.chart(r) == title; })};
    panel.lines = distinct(panel.records, [&](const McastRecord* record) { return figure.line(*record); });
    panel.xs = distinct(panel.records, [&](const McastRecord* record) { return figure.x(*record); });
    std::ranges::sort(panel.xs);
    panels.push_back(std::move(panel));
  }
  return panels;
}

Records case_at(const McastFigure& figure, const Panel& panel, const std::string& line, double x) {
  return those(panel.records, [&](const McastRecord& r) { return figure.line(r) == line && figure.x(r) == x; });
}

/// Blank where nothing was measured.
std::string time_text(const Records& records) {
  return records.empty() ? "" : number_text(median_over(records, time_ms));
}

/// A row for each place, a column for each line.
Grid grid_of(const McastFigure& figure, const Panel& panel) {
  Grid grid;
  grid.heading = {panel.title};
  grid.columns = {{std::string(figure.x_title), "", Align::right}};
  for (const std::string& line : panel.lines) grid.columns.push_back({line, "", Align::right});
  Block block;
  for (const double x : panel.xs) {
    Row row{{fmt::format("{}", x)}};
    for (const std::string& line : panel.lines) row.cells.push_back(time_text(case_at(figure, panel, line, x)));
    block.rows.push_back(std::move(row));
  }
  grid.blocks = {std::move(block)};
  return grid;
}

Chart chart_of(const McastFigure& figure, const Panel& panel) {
  Chart chart;
  chart.title = panel.title;
  chart.x = {std::string(figure.x_title), figure.x_scale};
  chart.y.from = 0;
  for (const std::string& name : panel.lines) {
    Line line{name, {}};
    for (const double x : panel.xs) {
      const double y = median_over(case_at(figure, panel, name, x), time_ms);
      if (!std::isnan(y)) line.points.push_back({x, y});
    }
    if (!line.points.empty()) chart.lines.push_back(std::move(line));
  }
  return chart;
}

/// `raw` with packets of that length.
Records raw_of(const Records& records, std::uint64_t packet) {
  return those(records, [&](const McastRecord& r) {
    return r.kind == McastKind::unreliable && parameter_of(r, "packet") == packet;
  });
}

/// Which part of the rate of `raw` that is; blank where that was not measured.
std::string share_text(double rate, const Records& raw) {
  return raw.empty() ? "" : fixed_text(rate / median_over(raw, rate_mbit_s), 3);
}

/// Rates of all cases, beside those that the paper prints.
Grid rates_grid(const McastFigure& figure, const Records& records) {
  Grid grid;
  grid.columns = {{"Protocol", "", Align::left},     {"Here", "(Mbit/s)"}, {"Of raw", ""}, {"Sent", "again"},
                  {"In the paper", "", Align::left}, {"", "(Mbit/s)"}};
  Block block;
  for (const std::string& label : distinct(records, [](const McastRecord* record) { return record->label(); })) {
    const Records own = those(records, [&](const McastRecord& r) { return r.label() == label; });
    const McastRecord& first = *own.front();
    const double rate = median_over(own, rate_mbit_s);
    const auto printed = std::ranges::find(figure.printed, first.protocol, &PrintedNumber::protocol);
    const bool known = printed != figure.printed.end();
    block.rows.push_back(
        {{label, number_text(rate), share_text(rate, raw_of(records, parameter_of(first, "packet"))),
          number_text(median_over(own, [](const McastRecord& r) { return r.cost.retransmitted; })),
          known ? std::string(printed->title) : "", known ? fmt::format("{:.1f}", printed->mbit_s) : ""}});
  }
  grid.blocks = {std::move(block)};
  grid.notes = {"Of raw: by the rate of unreliable multicast with packets of that length, in the same run."};
  return grid;
}

Section section_of(const McastFigure& figure, const McastFigureRecord& record, const Document& document) {
  Section section{std::string(figure.title)};
  section.text = {fmt::format("{}. {}", figure.paper, figure.finding)};
  if (record.quick) section.text.emplace_back("Fewer cases and receivers than the paper's (--quick).");
  const Records records = records_of(document, figure.name);
  if (records.empty()) {
    section.text.emplace_back("Nothing could be measured.");
    return section;
  }
  for (std::string& line : wrong_lines(records, "measurement", "brought wrong data")) {
    section.text.push_back(std::move(line));
  }
  if (figure.x == nullptr) {
    section.grids = {rates_grid(figure, records)};
    return section;
  }
  std::vector<Chart> charts;
  for (const Panel& panel : panels_of(figure, records)) {
    section.grids.push_back(grid_of(figure, panel));
    charts.push_back(chart_of(figure, panel));
  }
  section.pictures = {{fmt::format("figure{}.svg", figure.name), svg_of(charts, 2)}};
  return section;
}

Section method_section(std::span<const Source> sources) {
  Section section{"How it was done"};
  for (const Source& source : sources) {
    const auto& figures = source.document.records<McastFigureRecord>();
    if (figures.empty()) continue;
    section.text.push_back(fmt::format(
        "{} hosts, network namespaces of one computer, with links of {} Mbit/s to and from each at a switch "
        "(docs/mcast.md). Times are medians, from the call until the sender knows that all receivers have the "
        "message.",
        figures.front().hosts, figures.front().rate_mbit_s));
    for (std::string& line : heading_lines(std::span(&source, 1))) section.text.push_back(std::move(line));
  }
  for (std::string& line : condition_lines<McastRecord>(sources)) section.text.push_back(std::move(line));
  return section;
}

}  // namespace

bool are_figures(std::span<const Source> sources) {
  return !sources.empty() && std::ranges::all_of(sources, [](const Source& source) {
    return source.document.has(McastFigureRecord::section);
  });
}

std::vector<Section> figure_sections(std::span<const Source> sources) {
  std::vector<Section> sections;
  for (const Source& source : sources) {
    for (const McastFigureRecord& record : source.document.records<McastFigureRecord>()) {
      const McastFigure* figure = find_mcast_figure(record.name);
      if (figure != nullptr) sections.push_back(section_of(*figure, record, source.document));
    }
  }
  sections.push_back(method_section(sources));
  return sections;
}

}  // namespace nasvm
