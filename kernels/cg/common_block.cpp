#include "kernels/cg/common_block.hpp"

#include "kernels/cg/tiled_slices.hpp"

namespace nasvm::cg {

bool halves_common_block(const Parameters& problem, int tasks, Prefer prefer) {
  // From class B on. Not asked of the machine: the messages have to be the same on all hosts.
  constexpr double larger_than_caches = 64e6;
  const double bytes = expected_elements(problem, problem.order, problem.order) * stored_element_bytes;
  return tasks == 2 && prefer == Prefer::few_rounds && bytes > larger_than_caches;
}

CommonBlock common_block(Range rows, Range piece, const IntervalSet& columns) {
  const std::size_t own = columns.intervals().front().begin == piece.begin ? 0 : 1;
  const std::size_t other = 1 - own;
  const std::int64_t rows_before = rows.begin - piece.begin;
  return {
      .columns = {columns.first(other), columns.first(other) + columns.intervals()[other].size()},
      .first_own = columns.first(own) + rows_before,
      .rows_before = rows_before,
      .rows_of_half = share(piece.size(), 2, 0).size(),
      .keeps_diagonal = own == 0,
  };
}

}  // namespace nasvm::cg
