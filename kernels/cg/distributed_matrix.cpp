#include "kernels/cg/distributed_matrix.hpp"

#include <algorithm>

namespace nasvm::cg {
namespace {

std::span<double> part(std::span<double> vector, Range range) {
  return vector.subspan(static_cast<std::size_t>(range.begin), static_cast<std::size_t>(range.size()));
}

}  // namespace

DistributedMatrix::DistributedMatrix(Comm& comm, const Parameters& problem, int threads)
    : DistributedMatrix(comm, problem, threads, Grid(problem.order, comm.size())) {}

DistributedMatrix::DistributedMatrix(Comm& comm, const Parameters& problem, int threads, const Grid& grid)
    : piece_(grid.piece(comm.rank())),
      exchange_(comm, grid),
      block_(problem, grid.row_block(grid.row_of(comm.rank())), exchange_.columns(), threads),
      rows_(grid.cols() > 1 ? static_cast<std::size_t>(block_.rows()) : 0) {}

void DistributedMatrix::multiply(std::span<const double> input, std::span<double> output) {
  if (rows_.empty()) {
    block_.multiply(input, part(output, own()));
    return;
  }
  block_.multiply(input, rows_);
  exchange_.fold(rows_);
  std::ranges::copy(part(rows_, exchange_.own_of_rows()), part(output, own()).begin());
}

}  // namespace nasvm::cg
