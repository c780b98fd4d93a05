#pragma once
/// \file
/// Charts of bars, side by side, as SVG text that needs nothing else.

#include <span>
#include <string>
#include <vector>

namespace nasvm {

/// In each group a bar for each series.
struct BarChart {
  struct Series {
    std::string name;
    std::vector<double> values;  ///< one for each group; not a number: no bar
  };

  std::string title;
  std::string unit;
  std::vector<std::string> groups;
  std::vector<Series> series;
};

/// All charts in one picture, each with a scale of its own, below them the names of the first one's series. Bars show
/// their values when pointed at.
std::string svg_of(std::span<const BarChart> charts);

}  // namespace nasvm
