#include "kernels/cg/assembly.hpp"

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <vector>

#include "kernels/cg/random_matrix.hpp"

namespace nasvm::cg {
namespace {

/// Row or column of a block, counted from 0, with the value of a generating vector there.
struct LocalEntry {
  std::int32_t index = 0;
  double value = 0;
};

/// The part of a generating vector that lies in the rows, and that in the columns, of a block.
struct LocalVector {
  std::vector<LocalEntry> rows;
  std::vector<LocalEntry> columns;
  std::int32_t diagonal_row = -1;  ///< where the vector's own number is, -1 when outside
  std::int32_t diagonal_column = -1;

  void assign(const GeneratingVector& vector, Range row_range, const IntervalSet& column_set) {
    rows.clear();
    columns.clear();
    for (const auto& [position, value] : vector.entries) {
      if (const std::int32_t row = local_row(position, row_range); row >= 0) rows.push_back({row, value});
      if (const std::int64_t column = column_set.local(position); column >= 0) {
        columns.push_back({static_cast<std::int32_t>(column), value});
      }
    }
    diagonal_row = local_row(vector.number, row_range);
    diagonal_column = static_cast<std::int32_t>(column_set.local(vector.number));
  }

  static std::int32_t local_row(std::int64_t position, Range range) {
    return range.contains(position) ? static_cast<std::int32_t>(position - range.begin) : -1;
  }
};

/// Calls `visit(vector, local)` for every generating vector, restricted to the block.
template <typename Visit>
void for_each_vector(const Parameters& problem, Range rows, const IntervalSet& columns, Visit visit) {
  VectorSequence sequence(problem);
  LocalVector local;
  for (std::int64_t i = 0; i < problem.order; ++i) {
    const GeneratingVector& vector = sequence.next();
    local.assign(vector, rows, columns);
    visit(vector, local);
  }
}

/// Number of contributions to each row of the block.
std::vector<std::int64_t> count_contributions(const Parameters& problem, Range rows, const IntervalSet& columns) {
  std::vector<std::int64_t> counts(static_cast<std::size_t>(rows.size()), 0);
  for_each_vector(problem, rows, columns, [&](const GeneratingVector&, const LocalVector& local) {
    for (const LocalEntry& row : local.rows) {
      counts[static_cast<std::size_t>(row.index)] += static_cast<std::int64_t>(local.columns.size());
    }
  });
  return counts;
}

/// Reserves the rows of `block` for that many contributions each; they lie one after the other.
void reserve_rows(SparseBlock& block, const std::vector<std::int64_t>& counts) {
  std::int64_t total = 0;
  for (std::size_t row = 0; row < counts.size(); ++row) {
    total += counts[row];
    if (total > INT32_MAX) throw std::invalid_argument("a slab of the CG matrix is too large for 32-bit indices");
    block.outerIndexPtr()[row + 1] = static_cast<std::int32_t>(total);
  }
  block.resizeNonZeros(total);
}

/// Writes all contributions into their rows, in the order in which they arise.
void fill_rows(const Parameters& problem, Range rows, const IntervalSet& columns, SparseBlock& block) {
  std::vector<std::int32_t> cursor(block.outerIndexPtr(), block.outerIndexPtr() + block.rows());
  const double diagonal_shift = condition - problem.shift;
  for_each_vector(problem, rows, columns, [&](const GeneratingVector& vector, const LocalVector& local) {
    for (const LocalEntry& row : local.rows) {
      const double scale = vector.weight * row.value;
      std::int32_t& at = cursor[static_cast<std::size_t>(row.index)];
      for (const LocalEntry& column : local.columns) {
        const bool diagonal = row.index == local.diagonal_row && column.index == local.diagonal_column;
        block.innerIndexPtr()[at] = column.index;
        block.valuePtr()[at++] = scale * column.value + (diagonal ? diagonal_shift : 0.0);
      }
    }
  });
}

/// Sorts the contributions by column and adds those of equal columns. Returns the number that remains.
std::size_t sort_and_sum(std::vector<LocalEntry>& row) {
  std::stable_sort(row.begin(), row.end(),
                   [](const LocalEntry& a, const LocalEntry& b) { return a.index < b.index; });
  std::size_t kept = 0;
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (kept > 0 && row[kept - 1].index == row[i].index) {
      row[kept - 1].value += row[i].value;
    } else {
      row[kept++] = row[i];
    }
  }
  return kept;
}

/// Turns rows of contributions into rows of sorted, distinct elements, closing the gaps.
void compress_rows(SparseBlock& block) {
  std::int32_t* const outer = block.outerIndexPtr();
  std::int32_t* const inner = block.innerIndexPtr();
  double* const values = block.valuePtr();
  std::vector<LocalEntry> row_entries;
  std::int32_t begin = 0;
  std::int32_t kept = 0;
  for (Eigen::Index row = 0; row < block.rows(); ++row) {
    const std::int32_t end = outer[row + 1];
    row_entries.clear();
    for (std::int32_t k = begin; k < end; ++k) row_entries.push_back({inner[k], values[k]});
    const std::size_t distinct = sort_and_sum(row_entries);
    for (std::size_t k = 0; k < distinct; ++k, ++kept) {
      inner[kept] = row_entries[k].index;
      values[kept] = row_entries[k].value;
    }
    outer[row + 1] = kept;
    begin = end;
  }
  block.resizeNonZeros(kept);
}

}  // namespace

SparseBlock assemble(const Parameters& problem, Range rows, const IntervalSet& columns) {
  SparseBlock block(rows.size(), columns.size());
  reserve_rows(block, count_contributions(problem, rows, columns));
  fill_rows(problem, rows, columns, block);
  compress_rows(block);
  return block;
}

}  // namespace nasvm::cg
