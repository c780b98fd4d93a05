#include "harness/commands/reproduce/bars.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include "harness/text.hpp"

namespace nasvm {
namespace {

// Pixels.
constexpr double bar_width = 11;
constexpr double group_gap = 16;
constexpr double plot_height = 220;
constexpr double left = 56;
constexpr double right = 12;
constexpr double top = 34;
constexpr double bottom = 30;
constexpr double legend_line = 18;

/// Okabe and Ito, "Color Universal Design": grey and black are the past.
constexpr std::array<std::string_view, 6> colours{"#999999", "#000000", "#56b4e9", "#0072b2", "#e69f00", "#d55e00"};

std::string_view colour_of(std::size_t series) { return colours[series % colours.size()]; }

std::string text_at(double x, double y, std::string_view anchor, std::string_view text) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", x, y, anchor,
                     xml_escaped(text));
}

double largest_of(const BarChart& chart) {
  double largest = 0;
  for (const auto& series : chart.series) {
    for (const double value : series.values) {
      if (std::isfinite(value)) largest = std::max(largest, value);
    }
  }
  return largest;
}

/// About four steps, each 1, 2 or 5 of a power of ten.
double step_for(double largest) {
  if (largest <= 0) return 1;
  const double power = std::pow(10, std::floor(std::log10(largest / 4)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= largest / 4) return factor * power;
  }
  return 10 * power;
}

double group_width(const BarChart& chart) { return bar_width * static_cast<double>(chart.series.size()) + group_gap; }
double width_of(const BarChart& chart) {
  return left + right + group_width(chart) * static_cast<double>(chart.groups.size());
}

std::string axis_of(const BarChart& chart, double step, double highest) {
  std::string text = text_at(left, top - 14, "start", chart.title) + text_at(left - 6, top - 14, "end", chart.unit);
  const auto ticks = static_cast<int>(std::floor(highest / step * 1.0001));
  for (int i = 0; i <= ticks; ++i) {
    const double tick = i * step;
    const double y = top + plot_height * (1 - tick / highest);
    text += fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"#cccccc\"/>\n", left,
                        y, width_of(chart) - right, y);
    text += text_at(left - 6, y + 4, "end", fmt::format("{:.4g}", tick));
  }
  return text;
}

std::string bar(const BarChart& chart, std::size_t group, std::size_t series, double highest) {
  const double value = chart.series[series].values[group];
  if (!std::isfinite(value)) return {};
  const double height = plot_height * value / highest;
  const double x = left + group_gap / 2 + group_width(chart) * static_cast<double>(group) +
                   bar_width * static_cast<double>(series);
  return fmt::format(
      "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\"><title>{}, {}: {:.4g} "
      "{}</title></rect>\n",
      x, top + plot_height - height, bar_width - 1, height, colour_of(series), xml_escaped(chart.groups[group]),
      xml_escaped(chart.series[series].name), value, xml_escaped(chart.unit));
}

std::string text_of(const BarChart& chart) {
  const double step = step_for(largest_of(chart));
  const double highest = std::max(step, std::ceil(largest_of(chart) / step) * step);
  std::string text = axis_of(chart, step, highest);
  for (std::size_t group = 0; group < chart.groups.size(); ++group) {
    for (std::size_t series = 0; series < chart.series.size(); ++series) text += bar(chart, group, series, highest);
    text += text_at(left + group_width(chart) * (static_cast<double>(group) + 0.5), top + plot_height + 18, "middle",
                    chart.groups[group]);
  }
  return text;
}

std::string legend_of(const BarChart& chart, double y) {
  std::string text;
  for (std::size_t series = 0; series < chart.series.size(); ++series) {
    text += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"12\" height=\"12\" fill=\"{}\"/>\n", left, y - 10,
                        colour_of(series));
    text += text_at(left + 20, y, "start", chart.series[series].name);
    y += legend_line;
  }
  return text;
}

}  // namespace

std::string svg_of(std::span<const BarChart> charts) {
  std::string body;
  double x = 0;
  for (const BarChart& chart : charts) {
    body += fmt::format("<g transform=\"translate({:.0f} 0)\">\n{}</g>\n", x, text_of(chart));
    x += width_of(chart);
  }
  double height = top + plot_height + bottom;
  if (!charts.empty()) {
    body += legend_of(charts.front(), height + 12);
    height += 12 + legend_line * static_cast<double>(charts.front().series.size());
  }
  const double width = std::max(x, 320.0);  // for the names of series
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} "
      "{1:.0f}\" "
      "font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n{2}"
      "</svg>\n",
      width, height, body);
}

}  // namespace nasvm
