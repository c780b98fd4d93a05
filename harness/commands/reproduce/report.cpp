#include "harness/commands/reproduce/report.hpp"

#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "harness/commands/reproduce/bars.hpp"
#include "harness/commands/reproduce/lines.hpp"
#include "harness/commands/reproduce/plan.hpp"
#include "harness/report/columns.hpp"
#include "harness/report/condition_lines.hpp"
#include "harness/report/distinct.hpp"
#include "harness/report/heading.hpp"
#include "harness/report/numbers.hpp"

namespace nasvm {
namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

/// A figure, or nothing. The paper's are whole numbers and have no more digits.
std::string figure_text(double value) {
  if (std::isnan(value)) return {};
  return value == std::floor(value) ? fmt::format("{:.0f}", value) : number_text(value);
}

std::string percent_text(double share) {
  return std::isnan(share) ? std::string() : fmt::format("{:.3g} %", 100 * share);
}

/// Of whole numbers.
std::string count_text(double value) { return std::isnan(value) ? std::string() : fmt::format("{:.0f}", value); }

/// As the paper counts: 2^20 bytes.
std::string mb_text(double bytes) { return figure_text(bytes / (1 << 20)); }

std::string ratio_text(double numerator, double denominator) {
  const double ratio = numerator / denominator;
  return std::isfinite(ratio) ? fmt::format("{:.2f}", ratio) : std::string();
}

double figure_of(const ReproducedLine* line, double ReproducedLine::*figure) {
  return line == nullptr ? unknown : line->*figure;
}

std::string problem_text(const Reproduction& one) {
  return fmt::format("class {}, {} tasks", one.problem_class, one.np);
}

std::string testbed_text(const TestbedRecord& testbed) {
  std::string rate = fmt::format("{} Mbit/s", testbed.rate_mbit_s);
  const Testbed* of_paper = find_testbed(testbed.name);
  if (of_paper != nullptr && of_paper->rate_mbit_s != testbed.rate_mbit_s) {
    rate += fmt::format(" (the paper's: {})", of_paper->rate_mbit_s);
  }
  return fmt::format("{}: {} hosts, {}", testbed.name, testbed.hosts,
                     testbed.medium == Medium::shared ? "one medium of " + rate + " that all share"
                                                      : rate + " to and from each host at a switch");
}

/// A kernel on a testbed.
struct Place {
  const TestbedRecord* testbed = nullptr;
  Reproduction reproduction;
  const YardstickRecord* yardstick = nullptr;

  [[nodiscard]] bool communicates() const { return reproduction.kernel != "ep"; }
  [[nodiscard]] const ReproducedLine* paper(std::string_view transport) const {
    return reproduction.find(paper_line, transport);
  }
  [[nodiscard]] const ReproducedLine* as_paper(std::string_view transport) const {
    return reproduction.find(paper_variant, transport);
  }
  [[nodiscard]] const ReproducedLine* usual(std::string_view transport) const {
    return reproduction.find(usual_variant(reproduction.kernel), transport);
  }
};

std::vector<Place> places_of(std::span<const Source> sources) {
  std::vector<Place> places;
  for (const Source& source : sources) {
    for (Reproduction& one : reproductions_of(source)) {
      const YardstickRecord* yardstick = find_yardstick(source, one);
      places.push_back({&testbed_of(source), std::move(one), yardstick});
    }
  }
  return places;
}

ColumnsOf<Place> place_columns() {
  return {{{"Testbed", "", Align::left}, [](const Place& place) { return place.testbed->name; }},
          {{"Kernel", "", Align::left}, [](const Place& place) { return kernel_title(place.reproduction.kernel); }},
          {{"NP", ""}, [](const Place& place) { return std::to_string(place.reproduction.np); }}};
}

/// A block for each testbed; EP, which hardly communicates, is not among them.
Grid grid_by_testbed(const ColumnsOf<Place>& columns, const std::vector<Place>& places) {
  Grid grid;
  grid.columns = heads_of(columns);
  for (const TestbedRecord* testbed : distinct(places, &Place::testbed)) {
    Block block;
    for (const Place& place : places) {
      if (place.testbed == testbed && place.communicates()) block.rows.push_back(row_of(columns, place));
    }
    if (!block.rows.empty()) grid.blocks.push_back(std::move(block));
  }
  return grid;
}

/// Ways that are compared in one line of a summary: where they are found.
struct Way {
  const char* title;
  const char* unit;
  const ReproducedLine* (*line)(const Place& place);
};

std::span<const Way> ways() {
  static constexpr Way all[] = {
      {"1994", "PVM daemon", [](const Place& place) { return place.paper(paper_daemon); }},
      {"1994", "fsend", [](const Place& place) { return place.paper(paper_fsend); }},
      {"Variant paper", "daemon", [](const Place& place) { return place.as_paper("daemon"); }},
      {"Variant paper", "direct", [](const Place& place) { return place.as_paper("direct"); }},
      {"Usual variant", "daemon", [](const Place& place) { return place.usual("daemon"); }},
      {"Usual variant", "direct", [](const Place& place) { return place.usual("direct"); }},
  };
  return all;
}

Grid summary_grid(const std::vector<Place>& places, double ReproducedLine::*figure, std::string (*text)(double)) {
  ColumnsOf<Place> columns = place_columns();
  for (const Way& way : ways()) {
    columns.push_back({{way.title, way.unit}, [&way, figure, text](const Place& place) {
                         return text(figure_of(way.line(place), figure));
                       }});
  }
  return grid_by_testbed(columns, places);
}

Picture summary_picture(const std::vector<Place>& places, double ReproducedLine::*figure, double scale,
                        const std::string& unit, const std::string& file) {
  std::vector<BarChart> charts;
  for (const TestbedRecord* testbed : distinct(places, &Place::testbed)) {
    BarChart chart{testbed->name, unit, {}, {}};
    for (const Way& way : ways()) chart.series.push_back({fmt::format("{}, {}", way.title, way.unit), {}});
    for (const Place& place : places) {
      if (place.testbed != testbed || !place.communicates()) continue;
      chart.groups.push_back(kernel_title(place.reproduction.kernel));
      for (std::size_t i = 0; i < ways().size(); ++i) {
        chart.series[i].values.push_back(scale * figure_of(ways()[i].line(place), figure));
      }
    }
    if (!chart.groups.empty()) charts.push_back(std::move(chart));
  }
  return {file, svg_of(charts)};
}

Section efficiency_section(const std::vector<Place>& places) {
  return {"Communication efficiency",
          {"Volume / (communication time x capacity), as in section 6.3 of the paper. Capacity is the rate of the "
           "medium where all hosts share it, and that of the links of the hosts that take part together at a switch. "
           "Communication time is that of the task that has the most; waiting for others is in it. Headers count as "
           "lost: TCP on Ethernet cannot pass 94 %."},
          {summary_grid(places, &ReproducedLine::efficiency, percent_text)},
          {summary_picture(places, &ReproducedLine::efficiency, 100, "%", "efficiency.svg")}};
}

Section time_section(const std::vector<Place>& places) {
  return {"Communication time",
          {"Seconds. Processors are those of today, networks have the rates of 1994: communication can be compared, "
           "time as a whole cannot."},
          {summary_grid(places, &ReproducedLine::comm_s, figure_text)},
          {summary_picture(places, &ReproducedLine::comm_s, 1, "s", "communication.svg")}};
}

double raw_efficiency(const Place& place) {
  if (place.yardstick == nullptr) return unknown;
  return communication_efficiency(static_cast<double>(place.yardstick->volume_bytes), place.yardstick->time_s,
                                  capacity_bytes_s(*place.testbed, place.reproduction.np));
}

/// For all that variant `paper` has sent, where the sockets have moved a part of it.
std::string raw_time_text(const Place& place) {
  if (place.yardstick == nullptr) return {};
  const ReproducedLine* run = place.as_paper("direct");
  const auto moved = static_cast<double>(place.yardstick->volume_bytes);
  return number_text(place.yardstick->time_s * (run == nullptr ? 1 : run->volume_bytes / moved));
}

Section yardstick_section(const std::vector<Place>& places) {
  ColumnsOf<Place> columns = place_columns();
  columns.push_back({{"Plain sockets", "(s)"}, raw_time_text});
  columns.push_back({{"Efficiency", ""}, [](const Place& place) { return percent_text(raw_efficiency(place)); }});
  for (const char* transport : {"daemon", "direct"}) {
    columns.push_back({{std::string(transport) + " /", "sockets"}, [transport](const Place& place) {
                         const double reached = figure_of(place.as_paper(transport), &ReproducedLine::efficiency);
                         return ratio_text(reached, raw_efficiency(place));
                       }});
  }
  return {
      "Beside plain sockets",
      {"As many messages of as many bytes between the same tasks as variant paper has sent, over TCP sockets with "
       "nothing in between and nothing to compute: what the network and the system can give. Then the efficiency "
       "of variant paper by that of the sockets."},
      {grid_by_testbed(columns, places)},
      {}};
}

/// What does not depend on the transport: 1994, the variant paper, the usual one, and the last by the one before.
void append_counted(ColumnsOf<Place>& columns, const std::string& title, double ReproducedLine::*figure,
                    std::string (*text)(double)) {
  const auto as_paper = [figure](const Place& place) {
    return figure_of(place.reproduction.find(paper_variant), figure);
  };
  const auto usual = [figure](const Place& place) {
    return figure_of(place.reproduction.find(usual_variant(place.reproduction.kernel)), figure);
  };
  columns.push_back({{title, "1994"}, [=](const Place& place) {
                       return text(figure_of(place.reproduction.find(paper_line), figure));
                     }});
  columns.push_back({{title, "paper"}, [=](const Place& place) { return text(as_paper(place)); }});
  columns.push_back({{title, "usual"}, [=](const Place& place) { return text(usual(place)); }});
  columns.push_back(
      {{title, "usual/paper"}, [=](const Place& place) { return ratio_text(usual(place), as_paper(place)); }});
}

Section counts_section(const std::vector<Place>& places) {
  ColumnsOf<Place> columns = place_columns();
  append_counted(columns, "Messages", &ReproducedLine::messages, count_text);
  append_counted(columns, "Volume (MB)", &ReproducedLine::volume_bytes, mb_text);
  Grid grid = grid_by_testbed(columns, places);
  grid.notes = {"paper, usual: our variants. 1 MB = 2^20 bytes, as in the paper."};
  for (const auto& kernel : distinct(places, [](const Place& place) { return place.reproduction.kernel; })) {
    const std::string_view why = differences_from_paper(kernel);
    if (!why.empty()) grid.notes.emplace_back(why);
  }
  return {"Messages and volume", {}, {std::move(grid)}, {}};
}

const ColumnsOf<ReproducedLine>& line_columns() {
  using Line = ReproducedLine;
  static const ColumnsOf<Line> columns{
      {{"Variant", "", Align::left}, [](const Line& line) { return line.what; }},
      {{"Transport", "", Align::left}, [](const Line& line) { return line.transport; }},
      {{"Time", "(s)"}, [](const Line& line) { return figure_text(line.time_s); }},
      {{"Volume", "(MB)"}, [](const Line& line) { return mb_text(line.volume_bytes); }},
      {{"Messages", ""}, [](const Line& line) { return count_text(line.messages); }},
      {{"Comm. time", "(s)"}, [](const Line& line) { return figure_text(line.comm_s); }},
      {{"Idle time", "(s)"}, [](const Line& line) { return figure_text(line.idle_s); }},
      {{"Efficiency", ""}, [](const Line& line) { return percent_text(line.efficiency); }},
      {{"Verified", "", Align::left}, [](const Line& line) { return line.verified; }}};
  return columns;
}

Section kernel_section(const std::string& kernel, const std::vector<Place>& places) {
  Section section{"Kernel " + kernel_title(kernel)};
  for (const Place& place : places) {
    if (place.reproduction.kernel != kernel) continue;
    Grid grid;
    grid.heading = {fmt::format("{} on {}", problem_text(place.reproduction), testbed_text(*place.testbed))};
    grid.columns = heads_of(line_columns());
    grid.blocks = {block_of(line_columns(), place.reproduction.lines)};
    if (place.reproduction.paper == nullptr) grid.notes = {"Not the paper's problem, so its figures are not here."};
    section.grids.push_back(std::move(grid));
  }
  if (kernel == "ep") {
    section.text = {"The paper divides the work by a pilot computation (section 5.2.1), --balance pilot."};
  } else if (kernel == "mg") {
    section.text = {
        "Variant paper sends the outermost planes first; --order plain is the paper's before that change, "
        "--order token lets one task send at a time (section 5.2.2)."};
  }
  return section;
}

/// One way of dividing EP's work where one host is slowed.
struct Division {
  const Place* place = nullptr;
  const ReproducedLine* line = nullptr;
  double best_s = unknown;  ///< the time if all hosts worked all the time, each at its speed
};

std::vector<Division> divisions_of(const std::vector<Place>& places) {
  std::vector<Division> divisions;
  for (const Place& place : places) {
    const std::string alike =
        fmt::format("{}, {}", usual_variant(place.reproduction.kernel), text_of(HostShares::alike));
    const double hosts = place.reproduction.np;
    const double best_s =
        figure_of(place.reproduction.find(alike), &ReproducedLine::time_s) * hosts / (hosts - 1 + slowed_share);
    for (const ReproducedLine& line : place.reproduction.lines) {
      if (line.what.ends_with(text_of(HostShares::one_slowed))) divisions.push_back({&place, &line, best_s});
    }
  }
  return divisions;
}

Section slowed_section(const std::vector<Division>& divisions) {
  const ColumnsOf<Division> columns{
      {{"Testbed", "", Align::left}, [](const Division& one) { return one.place->testbed->name; }},
      {{"Variant", "", Align::left}, [](const Division& one) { return one.line->what; }},
      {{"NP", ""}, [](const Division& one) { return std::to_string(one.place->reproduction.np); }},
      {{"Time", "(s)"}, [](const Division& one) { return figure_text(one.line->time_s); }},
      {{"Of the", "ideal rate"}, [](const Division& one) { return percent_text(one.best_s / one.line->time_s); }}};
  Grid grid;
  grid.columns = heads_of(columns);
  grid.blocks = {block_of(columns, divisions)};
  return {
      "EP with one host slowed ten times",
      {"All hosts are held to the same share of the processors, the last one to a tenth of it. The work is divided "
       "evenly, by a pilot computation (section 5.2.1), and in units on demand by a task that spawns the others "
       "(proposed in section 7.2). The ideal rate is the sum of all hosts' speeds, taken from a run without the "
       "slow one."},
      {std::move(grid)},
      {}};
}

Section method_section(std::span<const Source> sources) {
  Section section{"How it was done"};
  section.text = {
      "White, Ålund and Sunderam, Performance of the NAS Parallel Benchmarks on PVM-Based Networks, RNR-94-008, May "
      "1994, sections 5 and 6, on hosts that are network namespaces of one computer, with links of the paper's "
      "rates (docs/reproduce.md). Figures of 1994 are copied from its tables."};
  for (const Source& source : sources) {
    section.text.push_back(testbed_text(testbed_of(source)) + ".");
    for (std::string& line : heading_lines(std::span(&source, 1))) section.text.push_back(std::move(line));
  }
  for (std::string& line : condition_lines<RunRecord>(sources)) section.text.push_back(std::move(line));
  return section;
}

}  // namespace

std::vector<Section> sections_of(std::span<const Source> sources) {
  const std::vector<Place> places = places_of(sources);
  std::vector<Section> sections{efficiency_section(places), yardstick_section(places), counts_section(places),
                                time_section(places)};
  for (const auto& kernel : distinct(places, [](const Place& place) { return place.reproduction.kernel; })) {
    sections.push_back(kernel_section(kernel, places));
  }
  if (const auto divisions = divisions_of(places); !divisions.empty()) {
    sections.push_back(slowed_section(divisions));
  }
  sections.push_back(method_section(sources));
  return sections;
}

}  // namespace nasvm
