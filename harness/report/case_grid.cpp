#include "harness/report/case_grid.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "harness/report/numbers.hpp"

namespace nasvm {
namespace {

/// Which columns a table has beside the declared ones.
struct Shape {
  bool files = false;
  bool spread = false;
};

bool has_spread(const Figure& figure, const Shape& shape) {
  return shape.spread && figure.spread != Figure::Spread::none;
}

std::vector<Column> columns_of(const CaseTable& table, const Shape& shape) {
  std::vector<Column> all = table.keys;
  if (shape.files) all.push_back({"File", "", Align::left});
  all.push_back(table.label);
  for (const Figure& figure : table.figures) {
    all.push_back(figure.column);
    if (has_spread(figure, shape)) all.push_back({"Spread", "", Align::right});
  }
  all.insert(all.end(), table.behind.begin(), table.behind.end());
  return all;
}

/// What stands for all repeats.
double middle_of(std::vector<double> sample, Figure::Middle middle) {
  if (middle == Figure::Middle::of_values) return median(sample);
  for (double& value : sample) value = 1 / value;
  return 1 / median(sample);
}

/// One figure in the rows of a group.
std::vector<std::string> figure_cells(const CaseGroup& group, std::size_t position, const Figure& figure) {
  std::vector<double> medians;
  for (const CaseRow& row : group.rows) {
    const std::vector<double>& sample = row.samples[position];
    medians.push_back(sample.empty() ? std::numeric_limits<double>::quiet_NaN() : middle_of(sample, figure.middle));
  }
  const int decimals = figure.digits == Figure::Digits::whole ? 0 : decimals_for(medians);
  std::vector<std::string> cells;
  for (std::size_t i = 0; i < medians.size(); ++i) {
    cells.push_back(group.rows[i].samples[position].empty() ? "" : fixed_text(medians[i], decimals));
  }
  return cells;
}

std::string spread_cell(const std::vector<double>& sample, Figure::Spread spread) {
  if (sample.empty()) return "";
  if (std::isnan(sample.front())) return "-";
  return spread_text(sample, spread == Figure::Spread::tenths ? 1 : 0);
}

/// What stands in front of the transport: the group's keys in its first row only.
std::vector<std::string> row_begin(const CaseGroup& group, const Shape& shape, bool first, const std::string& file) {
  std::vector<std::string> cells(group.keys.size());
  if (first) cells = group.keys;
  if (shape.files) cells.push_back(file);
  return cells;
}

std::vector<Row> case_rows(const CaseTable& table, const CaseGroup& group, const Shape& shape) {
  std::vector<Row> rows;
  for (const CaseRow& one : group.rows) {
    rows.push_back({row_begin(group, shape, rows.empty(), source_label(one.source))});
    rows.back().cells.push_back(one.label);
  }
  for (std::size_t position = 0; position < table.figures.size(); ++position) {
    const Figure& figure = table.figures[position];
    const std::vector<std::string> cells = figure_cells(group, position, figure);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      rows[i].cells.push_back(cells[i]);
      if (!has_spread(figure, shape)) continue;
      rows[i].cells.push_back(spread_cell(group.rows[i].samples[position], figure.spread));
    }
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].cells.insert(rows[i].cells.end(), group.rows[i].behind.begin(), group.rows[i].behind.end());
  }
  return rows;
}

/// Two rows and the name of their ratio: "daemon/direct".
struct Comparison {
  std::string name;
  const CaseRow* numerator;
  const CaseRow* denominator;

  [[nodiscard]] bool in_one_file() const { return numerator->source == denominator->source; }
};

std::vector<Comparison> comparisons_within(const CaseGroup& group, std::size_t source) {
  const auto of_source = [&](const CaseRow& row) { return row.source == source; };
  const auto first = std::ranges::find_if(group.rows, of_source);
  const auto last = std::find_if(group.rows.rbegin(), group.rows.rend(), of_source);
  if (first == group.rows.end() || &*first == &*last) return {};
  return {{first->transport + "/" + last->transport, &*first, &*last}};
}

std::vector<Comparison> comparisons_across(const CaseGroup& group, std::size_t last) {
  std::vector<Comparison> all;
  for (const CaseRow& one : group.rows) {
    if (one.source != 0 || last == 0) continue;
    const auto other = std::ranges::find_if(
        group.rows, [&](const CaseRow& row) { return row.source == last && row.transport == one.transport; });
    if (other == group.rows.end()) continue;
    all.push_back({fmt::format("{} {}/{}", one.transport, source_label(0), source_label(last)), &one, &*other});
  }
  return all;
}

std::vector<Comparison> comparisons(const CaseGroup& group, Ratios ratios, std::size_t sources) {
  std::vector<Comparison> all;
  const auto add = [&](const std::vector<Comparison>& some) { all.insert(all.end(), some.begin(), some.end()); };
  if (ratios == Ratios::none) return all;
  for (std::size_t source = 0; source < sources; ++source) add(comparisons_within(group, source));
  if (ratios == Ratios::across) add(comparisons_across(group, sources - 1));
  std::erase_if(all, [](const Comparison& pair) { return pair.numerator->wrong || pair.denominator->wrong; });
  return all;
}

Row ratio_row(const CaseTable& table, const CaseGroup& group, const Comparison& pair, const Shape& shape) {
  Row row{row_begin(group, shape, false, pair.in_one_file() ? source_label(pair.numerator->source) : ""), true};
  row.cells.push_back(pair.name);
  for (std::size_t position = 0; position < table.figures.size(); ++position) {
    const Figure& figure = table.figures[position];
    const std::vector<double>& numerator = pair.numerator->samples[position];
    const std::vector<double>& denominator = pair.denominator->samples[position];
    const bool shown = figure.ratio == Figure::Ratio::shown && !numerator.empty() && !denominator.empty();
    row.cells.push_back(shown ? factor_text(median(numerator) / median(denominator)) : "");
    if (has_spread(figure, shape)) row.cells.push_back(shown ? interval_text(numerator, denominator) : "");
  }
  row.cells.resize(row.cells.size() + table.behind.size());
  return row;
}

}  // namespace

std::size_t CaseTable::most_repeats() const {
  std::size_t most = 1;
  for (const CaseGroup& group : groups) {
    for (const CaseRow& row : group.rows) most = std::max(most, row.repeats);
  }
  return most;
}

std::string CaseTable::repeats_text() const {
  const std::size_t most = most_repeats();
  const auto has_fewer = [most](const CaseRow& row) { return row.repeats < most; };
  const bool differ =
      std::ranges::any_of(groups, [&](const CaseGroup& group) { return std::ranges::any_of(group.rows, has_fewer); });
  return fmt::format("{}{}", differ ? "up to " : "", most);
}

Grid grid_of(const CaseTable& table, std::size_t sources) {
  const Shape shape{sources > 1, table.most_repeats() > 1};
  Grid grid;
  grid.columns = columns_of(table, shape);
  for (const CaseGroup& group : table.groups) {
    Block block{case_rows(table, group, shape)};
    for (const Comparison& pair : comparisons(group, table.ratios, sources)) {
      block.rows.push_back(ratio_row(table, group, pair, shape));
    }
    grid.blocks.push_back(std::move(block));
  }
  return grid;
}

}  // namespace nasvm
