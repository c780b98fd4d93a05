#include "kernels/cg/paper/square_grid.hpp"

#include <stdexcept>

namespace nasvm::cg {
namespace {

int largest_side(int tasks) {
  if (tasks < 1) throw std::invalid_argument("a square of tasks needs at least one");
  int side = 1;
  while ((side + 1) * (side + 1) <= tasks) ++side;
  return side;
}

}  // namespace

SquareGrid::SquareGrid(std::int64_t order, int tasks) : order_(order), side_(largest_side(tasks)) {}

}  // namespace nasvm::cg
