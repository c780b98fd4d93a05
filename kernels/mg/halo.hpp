#pragma once
/// \file
/// One task's part of a set of plane moves, and carrying it out.

#include <span>
#include <vector>

#include "kernels/mg/grid.hpp"
#include "kernels/mg/hierarchy.hpp"
#include "vm/comm.hpp"

namespace nasvm::mg {

/// The planes of a grid that a task must have besides its own: which to send, to receive, to copy.
class Halo {
 public:
  Halo() = default;
  Halo(std::span<const PlaneMove> moves, int rank);

  /// Starts moving planes of `grid`. Until finish() what is sent may only be read and the halo not be touched.
  void start(Comm& comm, Grid& grid);
  /// Blocks until all planes are in place. Does nothing when nothing was started.
  void finish(Comm& comm);

  // The parts of start() one by one, for who may not send at once.
  void start_receives(Comm& comm, Grid& grid);
  void start_sends(Comm& comm, Grid& grid);
  /// Blocks until what was to be sent has left.
  void finish_sends(Comm& comm);

 private:
  std::vector<PlaneMove> sends_;
  std::vector<PlaneMove> receives_;
  std::vector<PlaneMove> copies_;  ///< from itself: the grid is periodic
  std::vector<Request> receiving_;
  std::vector<Request> sending_;
};

/// Copies planes within a grid.
void copy_planes(std::span<const PlaneMove> copies, Grid& grid);

}  // namespace nasvm::mg
