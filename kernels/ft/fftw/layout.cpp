#include "kernels/ft/fftw/layout.hpp"

namespace nasvm::ft {

Layout::Layout(const Grid& grid, int tasks, int rank)
    : grid_(grid), tasks_(tasks), planes_(share(grid.nz, tasks, rank)), rows_(share(grid.ny, tasks, rank)) {
  row_places_.reserve(static_cast<std::size_t>(grid.ny));
  for (int owner = 0; owner < tasks; ++owner) add_block(owner);
}

void Layout::add_block(int owner) {
  const Range their_rows = share(grid_.ny, tasks_, owner);
  const Range their_planes = share(grid_.nz, tasks_, owner);
  const std::int64_t plane_stride = their_rows.size() * grid_.nx;
  const std::int64_t begin = planes_.size() * their_rows.begin * grid_.nx;
  for (std::int64_t row = 0; row < their_rows.size(); ++row) {
    row_places_.push_back({begin + row * grid_.nx, plane_stride});
  }
  space_blocks_.push_back(static_cast<std::size_t>(planes_.size() * plane_stride));
  frequency_blocks_.push_back(static_cast<std::size_t>(their_planes.size() * rows_.size() * grid_.nx));
}

}  // namespace nasvm::ft
