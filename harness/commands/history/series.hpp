#pragma once
/// \file
/// Figures over documents: one series for each case. Pure.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/command.hpp"
#include "harness/report/compared.hpp"

namespace nasvm {

/// What one document says of a case.
struct Point {
  std::string file;
  std::string created;  ///< UTC
  std::string commit;
  std::vector<double> values;  ///< of right results under the same conditions
  std::size_t wrong = 0;       ///< results

  /// One with a wrong result has no figure, as in tables; others have values.
  [[nodiscard]] bool is_right() const { return wrong == 0; }

  bool operator==(const Point&) const = default;
};

/// One figure of one case on one machine.
struct Series {
  std::string name;  ///< "ft class A, 8 tasks, direct"
  FigureKind figure;
  std::vector<Point> points;  ///< by time, never none
  std::string machine{};      ///< "Fast CPU (2 cores)"; empty: older documents do not say
  std::string title{};        ///< for people: the name; with the machine, where documents are of several

  /// Medians of the points; not a number where a result was wrong.
  [[nodiscard]] std::vector<double> medians() const;
};

/// All series of documents, in the order in which cases first occur; documents that have nothing to compare are
/// passed over. Documents are taken by their time of creation, which has to be one (is_time).
std::vector<Series> series_of(std::span<const Source> sources, std::span<const CommandRow> commands);

/// A time of the calendar as documents have it, "2026-11-20T12:00:00Z": then it sorts as text.
bool is_time(std::string_view text);

/// Of a sparkline, so that a table stays as wide as a page.
inline constexpr std::size_t most_blocks = 40;

/// A line of blocks, one for each value, from the lowest to the highest of them; in the middle when all are equal. Of
/// more than most_blocks values each block is the median of neighbours. An "x" for what is not a number, and for
/// neighbours one of which is not.
std::string sparkline(std::span<const double> values);

/// All series as one SVG picture, one below the other, with the spread of each point's values; a cross for a point
/// with wrong results.
std::string svg_of(std::span<const Series> series);

}  // namespace nasvm
