#include "harness/commands/history/series.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "harness/report/cases.hpp"
#include "harness/report/distinct.hpp"
#include "harness/report/numbers.hpp"
#include "harness/statistics.hpp"
#include "harness/text.hpp"

namespace nasvm {
namespace {

/// "Fast CPU (2 cores)".
std::string processor_text(const HostRecord& host) {
  return host.cores == 0 ? host.cpu : fmt::format("{} ({})", host.cpu, counted(host.cores, "core"));
}

/// Without names: those of machines that are made for each job differ.
std::string machine_text(const MachineRecord& machine) {
  if (machine.hosts.empty()) return "";
  std::vector<std::string> known = distinct(machine.hosts, processor_text);
  std::erase(known, "");
  const std::string processors = joined(known);
  return machine.hosts.size() == 1 ? processors : fmt::format("{} hosts, {}", machine.hosts.size(), processors);
}

Series& series_for(std::vector<Series>& all, const Compared& record, const std::string& machine) {
  const auto found = std::ranges::find_if(all, [&](const Series& one) {
    return one.name == record.name && one.figure.name == record.figure.name && one.machine == machine;
  });
  return found != all.end() ? *found : all.emplace_back(Series{record.name, record.figure, {}, machine});
}

Point& point_for(Series& series, const Source& source) {
  std::vector<Point>& points = series.points;
  if (points.empty() || points.back().file != source.file) {
    points.push_back({source.file, source.document.created, source.document.build.commit, {}});
  }
  return points.back();
}

/// Where values stand between the lowest and the highest, from 0 to 1.
struct Scale {
  double low = 0;
  double high = 0;

  [[nodiscard]] double at(double value) const { return high > low ? (value - low) / (high - low) : 0.5; }
};

bool is_number(double value) { return !std::isnan(value); }

/// Of the numbers among them.
Scale scale_of(std::vector<double> values) {
  std::erase_if(values, [](double value) { return !is_number(value); });
  if (values.empty()) return {};
  const auto [low, high] = std::ranges::minmax(values);
  return {low, high};
}

std::vector<double> all_values(const Series& series) {
  std::vector<double> all;
  for (const Point& point : series.points) {
    if (point.is_right()) all.insert(all.end(), point.values.begin(), point.values.end());
  }
  return all;
}

/// Medians of neighbours, at most so many; of fewer values each by itself. One that is no number makes none of its
/// neighbours.
std::vector<double> grouped(std::span<const double> values, std::size_t most) {
  const std::size_t count = std::min(values.size(), most);
  std::vector<double> middles;
  middles.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t first = i * values.size() / count;
    const auto some = values.subspan(first, (i + 1) * values.size() / count - first);
    middles.push_back(std::ranges::all_of(some, is_number) ? median(some) : std::numeric_limits<double>::quiet_NaN());
  }
  return middles;
}

constexpr double width = 720, left = 70, right = 20, height = 150, top = 30, bottom = 20;

double x_of(std::size_t position, std::size_t count) {
  const double share = count > 1 ? static_cast<double>(position) / static_cast<double>(count - 1) : 0.5;
  return left + share * (width - left - right);
}

/// What is shown of a point when it is pointed at.
std::string title_of(const Point& point, const std::string& figure) {
  return xml_escaped(fmt::format("{} {} {}: {}", point.created, point.commit, point.file, figure));
}

/// At the bottom of a picture that begins at `y`.
std::string cross_of(const Point& point, double x, double y) {
  constexpr double half = 4;
  const double middle = y + height - bottom;
  return fmt::format(
      "<path d=\"M{0:.1f} {2:.1f}L{1:.1f} {3:.1f}M{0:.1f} {3:.1f}L{1:.1f} {2:.1f}\" stroke=\"#b22\" "
      "stroke-width=\"2\"><title>{4}</title></path>\n",
      x - half, x + half, middle - half, middle + half,
      title_of(point, failed_text(point.wrong, point.wrong + point.values.size())));
}

/// One picture, at its place below the others.
std::string plot_of(const Series& series, double y) {
  const Scale scale = scale_of(all_values(series));
  const auto y_of = [&](double value) { return y + top + (1 - scale.at(value)) * (height - top - bottom); };
  std::string text = fmt::format("<text x=\"8\" y=\"{:.0f}\" font-weight=\"bold\">{}, {} ({})</text>\n", y + 16,
                                 xml_escaped(series.title), series.figure.name, series.figure.unit);
  for (const double value : {scale.low, scale.high}) {
    if (value <= 0) continue;  // there are none
    text += fmt::format("<text x=\"8\" y=\"{:.1f}\">{}</text>\n", y_of(value) + 4, number_text(value));
  }
  std::string line;
  for (std::size_t i = 0; i < series.points.size(); ++i) {
    const Point& point = series.points[i];
    const double x = x_of(i, series.points.size());
    if (!point.is_right()) {
      text += cross_of(point, x, y);
      continue;
    }
    const Scale spread = scale_of(point.values);
    const double middle = median(point.values);
    text += fmt::format("<line x1=\"{0:.1f}\" y1=\"{1:.1f}\" x2=\"{0:.1f}\" y2=\"{2:.1f}\" stroke=\"#99b\"/>\n", x,
                        y_of(spread.low), y_of(spread.high));
    text += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\" fill=\"#247\"><title>{}</title></circle>\n", x,
                        y_of(middle), title_of(point, fmt::format("{} {}", number_text(middle), series.figure.unit)));
    line += fmt::format("{}{:.1f},{:.1f}", line.empty() ? "" : " ", x, y_of(middle));
  }
  return text + fmt::format("<polyline points=\"{}\" fill=\"none\" stroke=\"#247\"/>\n", line);
}

}  // namespace

std::vector<double> Series::medians() const {
  std::vector<double> middles;
  middles.reserve(points.size());
  for (const Point& point : points) {
    middles.push_back(point.is_right() ? median(point.values) : std::numeric_limits<double>::quiet_NaN());
  }
  return middles;
}

std::vector<Series> series_of(std::span<const Source> sources, std::span<const CommandRow> commands) {
  std::vector<const Source*> by_time;
  for (const Source& source : sources) by_time.push_back(&source);
  std::ranges::stable_sort(by_time, {}, [](const Source* source) { return source->document.created; });
  std::vector<Series> all;
  for (const Source* source : by_time) {
    const View* view = view_of(source->document, commands);
    if (view == nullptr || view->compared == nullptr) continue;
    const std::vector<Compared> compared = view->compared(source->document);
    const std::string machine = machine_text(source->document.machine);
    // As in tables: what was taken under other conditions counts where there is nothing else.
    std::set<std::pair<std::string_view, std::string_view>> alike;
    const auto counts = [](const Compared& record) { return record.right && record.value > 0; };
    for (const Compared& record : compared) {
      if (counts(record) && !record.sampled.changed) alike.emplace(record.name, record.figure.name);
    }
    for (const Compared& record : compared) {
      if (!record.right) ++point_for(series_for(all, record, machine), *source).wrong;
      if (!counts(record)) continue;
      if (record.sampled.changed && alike.contains({record.name, record.figure.name})) continue;
      point_for(series_for(all, record, machine), *source).values.push_back(record.value);
    }
  }
  const bool several = distinct(all, &Series::machine).size() > 1;
  for (Series& one : all) {
    one.title = several && !one.machine.empty() ? one.name + " on " + one.machine : one.name;
  }
  return all;
}

bool is_time(std::string_view text) {
  constexpr std::string_view pattern = "0000-00-00T00:00:00Z";
  const auto fits = [](char c, char wanted) { return wanted == '0' ? c >= '0' && c <= '9' : c == wanted; };
  if (!std::ranges::equal(text, pattern, fits)) return false;
  const auto number = [text](std::size_t first, std::size_t digits) {
    unsigned value = 0;
    std::from_chars(text.data() + first, text.data() + first + digits, value);
    return value;
  };
  const std::chrono::year_month_day date{std::chrono::year(static_cast<int>(number(0, 4))),
                                         std::chrono::month(number(5, 2)), std::chrono::day(number(8, 2))};
  return date.ok() && number(11, 2) < 24 && number(14, 2) < 60 && number(17, 2) <= 60;  // a leap second
}

std::string sparkline(std::span<const double> values) {
  static constexpr std::array<std::string_view, 8> blocks{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  const std::vector<double> shown = grouped(values, most_blocks);
  const Scale scale = scale_of(shown);
  std::string text;
  for (const double value : shown) {
    if (!is_number(value)) text += 'x';
    else
      text += blocks[static_cast<std::size_t>(std::lround(scale.at(value) * static_cast<double>(blocks.size() - 1)))];
  }
  return text;
}

std::string svg_of(std::span<const Series> series) {
  const double total = height * static_cast<double>(series.size());
  std::string text = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} "
      "{1:.0f}\" "
      "font-family=\"sans-serif\" font-size=\"11\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
      width, total);
  for (std::size_t i = 0; i < series.size(); ++i) text += plot_of(series[i], height * static_cast<double>(i));
  return text + "</svg>\n";
}

}  // namespace nasvm
