#include "kernels/mg/halo.hpp"

#include <algorithm>

namespace nasvm::mg {
namespace {

/// Messages of one pair of tasks are received in the order in which they are sent.
constexpr Tag halo_tag = 1;

std::span<double> target_of(const PlaneMove& move, Grid& grid) {
  return grid.span(Range{move.target, move.target + move.source.size()});
}

}  // namespace

Halo::Halo(std::span<const PlaneMove> moves, int rank) {
  for (const PlaneMove& move : moves) {
    if (move.from == rank && move.to == rank) {
      copies_.push_back(move);
    } else if (move.from == rank) {
      sends_.push_back(move);
    } else if (move.to == rank) {
      receives_.push_back(move);
    }
  }
}

void Halo::start(Comm& comm, Grid& grid) {
  start_receives(comm, grid);
  start_sends(comm, grid);
}

void Halo::start_receives(Comm& comm, Grid& grid) {
  for (const PlaneMove& move : receives_) {
    receiving_.push_back(comm.irecv(target_of(move, grid), move.from, halo_tag));
  }
}

void Halo::start_sends(Comm& comm, Grid& grid) {
  for (const PlaneMove& move : sends_) sending_.push_back(comm.isend(grid.span(move.source), move.to, halo_tag));
  copy_planes(copies_, grid);
}

void Halo::finish_sends(Comm& comm) {
  comm.wait_all(sending_);
  sending_.clear();
}

void Halo::finish(Comm& comm) {
  comm.wait_all(receiving_);
  receiving_.clear();
  finish_sends(comm);
}

void copy_planes(std::span<const PlaneMove> copies, Grid& grid) {
  for (const PlaneMove& move : copies) std::ranges::copy(grid.span(move.source), target_of(move, grid).begin());
}

}  // namespace nasvm::mg
