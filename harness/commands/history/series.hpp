#pragma once
/// \file
/// Figures over documents: one series for each case. Pure.

#include <span>
#include <string>
#include <vector>

#include "harness/command.hpp"
#include "harness/report/compared.hpp"

namespace nasvm {

/// What one document says of a case.
struct Point {
  std::string file;
  std::string created;  ///< UTC
  std::string commit;
  std::vector<double> values;  ///< of right results under the same conditions; never none

  bool operator==(const Point&) const = default;
};

/// One figure of one case on one machine.
struct Series {
  std::string name;  ///< "ft class A, 8 tasks, direct"; with the machine, where documents are of several
  FigureKind figure;
  std::vector<Point> points;  ///< by time, never none
  std::string machine{};      ///< "Fast CPU (2 cores)"; empty: older documents do not say

  /// Medians of the points.
  [[nodiscard]] std::vector<double> medians() const;
};

/// All series of documents, in the order in which cases first occur; documents that have nothing to compare are
/// passed over. Documents are taken by their time of creation.
std::vector<Series> series_of(std::span<const Source> sources, std::span<const CommandRow> commands);

/// A line of blocks, one for each value, from the lowest to the highest of them; in the middle when all are equal.
std::string sparkline(std::span<const double> values);

/// All series as one SVG picture, one below the other, with the spread of each point's values.
std::string svg_of(std::span<const Series> series);

}  // namespace nasvm
