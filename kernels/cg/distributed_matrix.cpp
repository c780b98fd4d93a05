#include "kernels/cg/distributed_matrix.hpp"

#include <algorithm>

#include "kernels/cg/common_block.hpp"

namespace nasvm::cg {
DistributedMatrix::DistributedMatrix(Comm& comm, const Parameters& problem, int threads,
                                     std::optional<bool> halves_common)
    : DistributedMatrix(comm, problem, threads, Grid(problem.order, comm.size()),
                        halves_common.value_or(halves_common_block(problem, comm.size(), preferred(comm)))) {}

DistributedMatrix::DistributedMatrix(Comm& comm, const Parameters& problem, int threads, const Grid& grid,
                                     bool halves_common)
    : exchange_(comm, grid, preferred(comm)),
      block_(problem, grid.row_block(grid.row_of(comm.rank())), exchange_.columns(), threads, halves_common,
             [&] { comm.barrier(); }),
      rows_(grid.cols() > 1 ? static_cast<std::size_t>(block_.rows()) : 0),
      halves_common_(halves_common),
      for_other_(halves_common ? static_cast<std::size_t>(grid.piece(1 - comm.rank()).size()) : 0) {}

void DistributedMatrix::multiply(std::span<const double> input, std::span<double> output) {
  ++products_;
  if (rows_.empty()) {
    block_.multiply(input, part_of(output, own()), for_other_);
    if (halves_common_) exchange_.swap_common(for_other_, part_of(output, own()));
    return;
  }
  block_.multiply(input, rows_);
  exchange_.fold(rows_);
  std::ranges::copy(part_of(std::span(rows_), exchange_.own_of_rows()), part_of(output, own()).begin());
}

}  // namespace nasvm::cg
