#pragma once
/// \file
/// Who owns what: the two layouts of the distributed grid, and the blocks that change hands between them.
///
/// - Space layout: slabs of z-planes, share(nz, tasks, rank) of them. Inside a task the rows (fixed z and y,
///   nx points) are grouped by the task that owns their y in the frequency layout, each group in the order
///   [plane][row]. Each group is thus the block for that task, contiguous: nothing is ever packed.
/// - Frequency layout: slabs of y-rows, share(ny, tasks, rank) of them, in the order [z][row][x]. The blocks
///   of the tasks follow each other in rank order because z-planes do: nothing is ever unpacked.
///
/// With one task both are the plain [z][y][x]. A task with no planes or no rows owns an empty part.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/common/partition.hpp"
#include "kernels/ft/problem.hpp"

namespace nasvm::ft {

class Layout {
 public:
  Layout(const Grid& grid, int tasks, int rank);

  [[nodiscard]] const Grid& grid() const { return grid_; }
  [[nodiscard]] int tasks() const { return tasks_; }
  /// The z of this task's planes.
  [[nodiscard]] Range planes() const { return planes_; }
  /// The y of this task's rows in the frequency layout.
  [[nodiscard]] Range rows() const { return rows_; }

  [[nodiscard]] std::int64_t space_points() const { return planes_.size() * grid_.ny * grid_.nx; }
  [[nodiscard]] std::int64_t frequency_points() const { return grid_.nz * rows_.size() * grid_.nx; }

  /// Where in the space layout the row (plane, y) begins; `plane` counts this task's planes from 0.
  [[nodiscard]] std::int64_t row_in_space(std::int64_t plane, std::int64_t y) const {
    const RowPlace& place = row_places_[static_cast<std::size_t>(y)];
    return place.begin + plane * place.plane_stride;
  }
  /// Where in the frequency layout the row (z, row) begins; `row` counts this task's rows from 0.
  [[nodiscard]] std::int64_t row_in_frequency(std::int64_t z, std::int64_t row) const {
    return (z * rows_.size() + row) * grid_.nx;
  }

  /// Points in the block that this task's space layout has for each task.
  [[nodiscard]] const std::vector<std::size_t>& space_blocks() const { return space_blocks_; }
  /// Points in the block that this task's frequency layout has of each task.
  [[nodiscard]] const std::vector<std::size_t>& frequency_blocks() const { return frequency_blocks_; }

 private:
  struct RowPlace {
    std::int64_t begin = 0;         ///< of the row in plane 0
    std::int64_t plane_stride = 0;  ///< from one plane to the next
  };
  void add_block(int owner);

  Grid grid_;
  int tasks_;
  Range planes_;
  Range rows_;
  std::vector<RowPlace> row_places_;  ///< by y
  std::vector<std::size_t> space_blocks_;
  std::vector<std::size_t> frequency_blocks_;
};

}  // namespace nasvm::ft
