#pragma once
/// \file
/// Tables of cases (cases.hpp) from declared columns: what a group has in common, then for each case its transport
/// and the medians of its figures, and below each group ratios of its cases.
///
///     Kernel  Class  NP  File  Transport       Time  Spread  ...  Verified
///     keys                     label           figures            behind

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "harness/report/cases.hpp"
#include "harness/report/grid.hpp"

namespace nasvm {

/// A column of medians.
struct Figure {
  /// Which sample the median is taken of. For a rate it is that of the times by which it was divided, so that it
  /// agrees with the column of times for an even number of repeats, too.
  enum class Middle { of_values, of_reciprocals };
  enum class Digits { aligned, whole };         ///< points below each other, or none
  enum class Spread { none, percent, tenths };  ///< a column behind it: (largest - smallest) / median
  enum class Ratio { none, shown };             ///< in the rows of ratios

  Column column;
  Digits digits = Digits::aligned;
  Spread spread = Spread::none;
  Ratio ratio = Ratio::none;
  Middle middle = Middle::of_values;
};

/// One case as its row shows it.
struct CaseRow {
  std::size_t source = 0;
  std::string transport;
  std::string label;  ///< the transport as people should read it
  bool wrong = false;
  std::size_t repeats = 1;
  std::vector<std::vector<double>> samples;  ///< for each figure: all repeats; not a number: "-"; none: blank
  std::vector<std::string> behind;
};

/// Rows that can be compared.
struct CaseGroup {
  std::vector<std::string> keys;
  std::vector<CaseRow> rows;
};

/// Which rows of ratios stand below a group; those with a wrong case do not.
enum class Ratios {
  none,
  within,  ///< in each document, the first transport by the last
  across,  ///< these, and each transport in the first document by the last one
};

struct CaseTable {
  std::vector<Column> keys;
  std::vector<Figure> figures;
  std::vector<Column> behind;
  Ratios ratios = Ratios::none;
  std::vector<CaseGroup> groups;
  Column label{"Transport", "", Align::left};

  /// The largest number of repeats of any case.
  [[nodiscard]] std::size_t most_repeats() const;
  /// "3", or "up to 3" where cases have fewer.
  [[nodiscard]] std::string repeats_text() const;
};

/// The columns and blocks of the table; `sources` is the number of documents.
Grid grid_of(const CaseTable& table, std::size_t sources);

/// A figure of records of some type.
template <typename Record>
struct FigureOf {
  enum class Of { right, any };  ///< does a wrong result have it

  Figure figure;
  double (*value)(const Record& record);
  Of of = Of::right;
  /// False: means nothing for records like that; a case with one of them is blank. Others alone would say something
  /// else than what stands beside them.
  bool (*meant)(const Record& record) = nullptr;
};

template <typename Record>
std::vector<Figure> figures_of(std::span<const FigureOf<Record>> declared) {
  std::vector<Figure> figures;
  for (const auto& one : declared) figures.push_back(one.figure);
  return figures;
}

/// The row of a case, without label and what stands behind.
template <typename Record>
CaseRow row_of(const CaseOf<Record>& one, std::span<const FigureOf<Record>> declared) {
  CaseRow row{one.source, one.transport, one.transport, one.wrong(), one.records.size(), {}, {}};
  for (const auto& figure : declared) {
    const auto is_meant = [&](const Record* record) { return figure.meant == nullptr || figure.meant(*record); };
    std::vector<double> values;
    if (std::ranges::all_of(one.records, is_meant)) values = one.all(figure.value);
    const bool hidden = row.wrong && figure.of == FigureOf<Record>::Of::right;
    if (hidden && !values.empty()) values = {std::numeric_limits<double>::quiet_NaN()};
    row.samples.push_back(std::move(values));
  }
  return row;
}

}  // namespace nasvm
