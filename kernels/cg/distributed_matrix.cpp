#include "kernels/cg/distributed_matrix.hpp"

#include <algorithm>

namespace nasvm::cg {
DistributedMatrix::DistributedMatrix(Comm& comm, const Parameters& problem, int threads)
    : DistributedMatrix(comm, problem, threads, Grid(problem.order, comm.size())) {}

DistributedMatrix::DistributedMatrix(Comm& comm, const Parameters& problem, int threads, const Grid& grid)
    : exchange_(comm, grid, preferred(comm)),
      block_(problem, grid.row_block(grid.row_of(comm.rank())), exchange_.columns(), threads),
      rows_(grid.cols() > 1 ? static_cast<std::size_t>(block_.rows()) : 0) {}

void DistributedMatrix::multiply(std::span<const double> input, std::span<double> output) {
  ++products_;
  if (rows_.empty()) {
    block_.multiply(input, part_of(output, own()));
    return;
  }
  block_.multiply(input, rows_);
  exchange_.fold(rows_);
  std::ranges::copy(part_of(std::span(rows_), exchange_.own_of_rows()), part_of(output, own()).begin());
}

}  // namespace nasvm::cg
