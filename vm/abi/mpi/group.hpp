#pragma once
/// \file
/// Groups: tasks in an order, by their rank in the world (MPI-3.1, section 6.3).

#include <vector>

#include "vm/abi/mpi/object.hpp"
#include "vm/abi/mpi/session.hpp"
#include "vm/endpoint.hpp"

namespace nasvm::mpi {

struct Group : Object {
  explicit Group(std::vector<Rank> tasks, int number = -1) : Object(Kind::group, number), members(std::move(tasks)) {}

  [[nodiscard]] int size() const { return static_cast<int>(members.size()); }
  /// Which rank a task has here; undefined: none.
  [[nodiscard]] int rank_of(Rank world_rank) const;

  std::vector<Rank> members;
  Ref<Session> session;  ///< that it comes from
};

}  // namespace nasvm::mpi
