#include "harness/report/plot.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include "harness/text.hpp"

namespace nasvm {
namespace {

// Pixels.
constexpr double chart_width = 460;
constexpr double plot_height = 250;
constexpr double left = 58;
constexpr double right = 14;
constexpr double top = 34;
constexpr double bottom = 44;
constexpr double legend_line = 17;

/// Colours that colour-blind people tell apart (Okabe and Ito, "Color Universal Design").
constexpr std::array<std::string_view, 7> colours{"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                  "#e69f00", "#56b4e9", "#000000"};

/// Where values of one axis lie.
class Range {
 public:
  Range(const Axis& axis, const std::vector<double>& values, double begin, double end)
      : scale_(axis.scale), begin_(begin), end_(end) {
    low_ = std::isnan(axis.from) ? std::numeric_limits<double>::infinity() : at(axis.from);
    high_ = std::isnan(axis.to) ? -std::numeric_limits<double>::infinity() : at(axis.to);
    for (const double value : values) {
      if (!is_shown(value)) continue;
      low_ = std::min(low_, at(value));
      high_ = std::max(high_, at(value));
    }
    if (low_ > high_) low_ = high_ = 0;
    if (low_ == high_) high_ = low_ + 1;
    step_ = scale_ == Scale::logarithmic ? std::ceil((high_ - low_) / most_ticks) : round_step((high_ - low_) / 5);
    low_ = std::floor(low_ / step_ + rounding) * step_;
    high_ = std::ceil(high_ / step_ - rounding) * step_;
  }

  [[nodiscard]] bool is_shown(double value) const {
    return std::isfinite(value) && (scale_ == Scale::linear || value > 0);
  }
  [[nodiscard]] double pixel(double value) const {
    return begin_ + (end_ - begin_) * (at(value) - low_) / (high_ - low_);
  }
  [[nodiscard]] std::vector<double> ticks() const {
    std::vector<double> all;
    for (int i = 0; low_ + i * step_ <= high_ + step_ * rounding; ++i) all.push_back(value_at(low_ + i * step_));
    return all;
  }

 private:
  static constexpr double rounding = 1e-9;
  static constexpr double most_ticks = 10;

  [[nodiscard]] double at(double value) const { return scale_ == Scale::logarithmic ? std::log2(value) : value; }
  [[nodiscard]] double value_at(double position) const {
    return scale_ == Scale::logarithmic ? std::exp2(position) : position;
  }
  /// The next of 1, 2, 5, 10, 20, ...
  static double round_step(double least) {
    const double power = std::pow(10, std::floor(std::log10(least)));
    for (const double factor : {1.0, 2.0, 5.0}) {
      if (factor * power >= least) return factor * power;
    }
    return 10 * power;
  }

  Scale scale_;
  double begin_;
  double end_;
  double low_;
  double high_;
  double step_ = 1;
};

/// All names of lines, each once: the position is that of the colour.
std::vector<std::string> names_of_lines(std::span<const Chart> charts) {
  std::vector<std::string> names;
  for (const Chart& chart : charts) {
    for (const Line& line : chart.lines) {
      if (std::ranges::find(names, line.name) == names.end()) names.push_back(line.name);
    }
  }
  return names;
}

std::vector<double> values_of(const Chart& chart, double Line::Point::*coordinate) {
  std::vector<double> values;
  for (const auto* lines : {&chart.lines, &chart.guides}) {
    for (const Line& line : *lines) {
      for (const Line::Point& point : line.points) values.push_back(point.*coordinate);
    }
  }
  return values;
}

std::string text_at(double x, double y, std::string_view text, std::string_view anchor, std::string_view more = "") {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\"{}>{}</text>\n", x, y, anchor, more,
                     xml_escaped(text));
}

std::string stroke(double x1, double y1, double x2, double y2, std::string_view colour) {
  return fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\"/>\n", x1, y1, x2,
                     y2, colour);
}

/// "0.25", "16", "93.75".
std::string value_text(double value) { return fmt::format("{:.4g}", value); }

class ChartText {
 public:
  ChartText(const Chart& chart, const std::vector<std::string>& names)
      : chart_(chart),
        names_(names),
        x_(chart.x, values_of(chart, &Line::Point::x), left, chart_width - right),
        y_(chart.y, values_of(chart, &Line::Point::y), top + plot_height, top) {}

  [[nodiscard]] std::string text() const {
    std::string text = text_at(left, top - 14, chart_.title, "start", " font-weight=\"bold\"");
    text += axes();
    for (const Line& guide : chart_.guides) text += polyline(guide, "#888888", " stroke-dasharray=\"5 4\"");
    for (const Line& line : chart_.lines) text += polyline(line, colour_of(line), "") + marks(line);
    return text + legend();
  }

 private:
  [[nodiscard]] std::string_view colour_of(const Line& line) const {
    const auto position = std::ranges::find(names_, line.name) - names_.begin();
    return colours[static_cast<std::size_t>(position) % colours.size()];
  }

  [[nodiscard]] std::string axes() const {
    const double floor = top + plot_height;
    std::string text;
    for (const double tick : y_.ticks()) {
      text += stroke(left, y_.pixel(tick), chart_width - right, y_.pixel(tick), "#dddddd");
      text += text_at(left - 6, y_.pixel(tick) + 4, value_text(tick), "end");
    }
    for (const double tick : x_.ticks()) {
      text += stroke(x_.pixel(tick), floor, x_.pixel(tick), floor + 4, "#444444");
      text += text_at(x_.pixel(tick), floor + 18, value_text(tick), "middle");
    }
    text += stroke(left, floor, chart_width - right, floor, "#444444");
    text += text_at((left + chart_width - right) / 2, floor + 34, chart_.x.title, "middle");
    if (!chart_.y.title.empty()) text += text_at(left - 6, top - 14, chart_.y.title, "end");
    return text;
  }

  [[nodiscard]] std::string polyline(const Line& line, std::string_view colour, std::string_view more) const {
    std::string points;
    for (const Line::Point& point : line.points) {
      if (!is_shown(point)) continue;
      points += fmt::format("{}{:.1f},{:.1f}", points.empty() ? "" : " ", x_.pixel(point.x), y_.pixel(point.y));
    }
    return fmt::format("<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\"{}/>\n", points, colour,
                       more);
  }

  [[nodiscard]] std::string marks(const Line& line) const {
    std::string text;
    for (const Line::Point& point : line.points) {
      if (!is_shown(point)) continue;
      text += fmt::format(
          "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3.5\" fill=\"{}\"><title>{}: {}, {}</title></circle>\n",
          x_.pixel(point.x), y_.pixel(point.y), colour_of(line), xml_escaped(line.name), value_text(point.x),
          value_text(point.y));
    }
    return text;
  }

  [[nodiscard]] std::string legend() const {
    std::string text;
    double y = top + plot_height + bottom + 8;
    const auto entry = [&](const Line& line, std::string_view colour, std::string_view more) {
      text += fmt::format(
          "<line x1=\"{0:.1f}\" y1=\"{2:.1f}\" x2=\"{1:.1f}\" y2=\"{2:.1f}\" stroke=\"{3}\" "
          "stroke-width=\"2\"{4}/>\n",
          left, left + 24, y - 4, colour, more);
      text += text_at(left + 32, y, line.name, "start");
      y += legend_line;
    };
    for (const Line& line : chart_.lines) entry(line, colour_of(line), "");
    for (const Line& guide : chart_.guides) entry(guide, "#888888", " stroke-dasharray=\"5 4\"");
    return text;
  }

  [[nodiscard]] bool is_shown(const Line::Point& point) const { return x_.is_shown(point.x) && y_.is_shown(point.y); }

  const Chart& chart_;
  const std::vector<std::string>& names_;
  Range x_;
  Range y_;
};

double height_of(const Chart& chart) {
  return top + plot_height + bottom + legend_line * static_cast<double>(chart.lines.size() + chart.guides.size()) +
         16;
}

}  // namespace

std::string svg_of(std::span<const Chart> charts, std::size_t columns) {
  const std::vector<std::string> names = names_of_lines(charts);
  std::string body;
  double y = 0;
  for (std::size_t first = 0; first < charts.size(); first += columns) {
    double height = 0;
    for (std::size_t i = first; i < std::min(first + columns, charts.size()); ++i) {
      body += fmt::format("<g transform=\"translate({:.0f} {:.0f})\">\n{}</g>\n",
                          chart_width * static_cast<double>(i - first), y, ChartText(charts[i], names).text());
      height = std::max(height, height_of(charts[i]));
    }
    y += height;
  }
  const double width = chart_width * static_cast<double>(std::min(columns, std::max<std::size_t>(charts.size(), 1)));
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} "
      "{1:.0f}\" "
      "font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" "
      "fill=\"white\"/>\n{2}</svg>\n",
      width, y, body);
}

}  // namespace nasvm
