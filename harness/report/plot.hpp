#pragma once
/// \file
/// Charts of lines, several in one picture: SVG text that needs nothing else, fit for a browser, an HTML page or a
/// README.

#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <vector>

namespace nasvm {

/// Logarithmic: to base 2, values above 0 only.
enum class Scale { linear, logarithmic };

struct Axis {
  std::string title;
  Scale scale = Scale::linear;
  /// What it shows at least; it reaches as far as the points do. Not a number: as far as they do.
  double from = std::numeric_limits<double>::quiet_NaN();
  double to = std::numeric_limits<double>::quiet_NaN();
};

struct Line {
  struct Point {
    double x = 0;
    double y = 0;
  };

  std::string name;
  std::vector<Point> points;  ///< from left to right
};

struct Chart {
  std::string title;
  Axis x;
  Axis y;
  std::vector<Line> lines;   ///< with marks, which show their values when pointed at
  std::vector<Line> guides;  ///< dashed, behind the lines, without marks
};

/// All charts, so many in each row. A line of the same name has the same colour in every chart.
std::string svg_of(std::span<const Chart> charts, std::size_t columns);

}  // namespace nasvm
