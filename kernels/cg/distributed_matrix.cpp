#include "kernels/cg/distributed_matrix.hpp"

namespace nasvm::cg {

DistributedMatrix::DistributedMatrix(Comm& comm, const Parameters& problem, int threads)
    : DistributedMatrix(comm, problem, threads, Grid(problem.order, comm.size())) {}

DistributedMatrix::DistributedMatrix(Comm& comm, const Parameters& problem, int threads, const Grid& grid)
    : piece_(grid.piece(comm.rank())),
      block_(problem, grid.row_block(grid.row_of(comm.rank())), grid.column_block(grid.col_of(comm.rank())), threads),
      exchange_(comm, grid),
      columns_(static_cast<std::size_t>(block_.columns())),
      rows_(static_cast<std::size_t>(block_.rows())) {}

void DistributedMatrix::multiply() {
  exchange_.expand(columns_);
  block_.multiply(columns_, rows_);
  exchange_.fold(rows_);
}

}  // namespace nasvm::cg
