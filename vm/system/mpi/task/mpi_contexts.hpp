#pragma once
/// \file
/// The contexts of Comms as communicators of MPI, so that MPI keeps their messages apart, wildcards included.

#include <mpi.h>

#include <span>
#include <vector>

#include "vm/endpoint.hpp"

namespace nasvm {

/// Throws RunError with MPI's own words when `code` is no success.
void check_mpi(int code, const char* what);

/// What belongs to one pair of contexts (that of a Comm's user and that of its collectives).
struct MpiGroup {
  MPI_Comm user = MPI_COMM_NULL;
  MPI_Comm collective = MPI_COMM_NULL;
  std::vector<Rank> world_of;  ///< world rank by rank in the group
  std::vector<int> member_of;  ///< rank in the group by world rank; -1: not in it

  [[nodiscard]] MPI_Comm communicator(Context context) const { return context % 2 == 0 ? user : collective; }
};

/// MPI must be initialized before, and finalized after.
class MpiContexts {
 public:
  /// Collective over `members`.
  void open(Context first, std::span<const Rank> members);
  /// Gives the group's communicators back, of which MPI has some ten thousands. Waits for nobody (Open MPI), though
  /// every member has to call it.
  void close(Context first) noexcept;
  /// The group that `context` belongs to; it has been opened.
  [[nodiscard]] const MpiGroup& group(Context context) const { return groups_[context / 2]; }

 private:
  std::vector<MpiGroup> groups_;  ///< by context / 2; those of other tasks' Comms are empty
};

}  // namespace nasvm
