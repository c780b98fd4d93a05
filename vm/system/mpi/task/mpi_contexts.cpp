#include "vm/system/mpi/task/mpi_contexts.hpp"

#include <array>
#include <string>

#include "vm/status.hpp"

namespace nasvm {

void check_mpi(int code, const char* what) {
  if (code == MPI_SUCCESS) return;
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  MPI_Error_string(code, text.data(), &length);
  throw RunError(std::string(what) + ": " + std::string(text.data(), static_cast<std::size_t>(length)));
}

void MpiContexts::open(Context first, std::span<const Rank> members) {
  const std::size_t index = first / 2;
  if (groups_.size() <= index) groups_.resize(index + 1);
  MpiGroup& group = groups_[index];
  group.world_of.assign(members.begin(), members.end());
  int world_size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &world_size);
  group.member_of.assign(static_cast<std::size_t>(world_size), -1);
  for (std::size_t i = 0; i < members.size(); ++i) {
    group.member_of[static_cast<std::size_t>(members[i])] = static_cast<int>(i);
  }
  MPI_Group world = MPI_GROUP_NULL;
  MPI_Group chosen = MPI_GROUP_NULL;
  check_mpi(MPI_Comm_group(MPI_COMM_WORLD, &world), "MPI_Comm_group");
  check_mpi(MPI_Group_incl(world, static_cast<int>(members.size()), members.data(), &chosen), "MPI_Group_incl");
  // Only the members call: the tag tells groups apart that are made at the same time.
  check_mpi(MPI_Comm_create_group(MPI_COMM_WORLD, chosen, static_cast<int>(first), &group.user),
            "MPI_Comm_create_group");
  MPI_Comm_set_errhandler(group.user, MPI_ERRORS_RETURN);  // before the copy, which takes it over
  check_mpi(MPI_Comm_dup(group.user, &group.collective), "MPI_Comm_dup");
  MPI_Group_free(&chosen);
  MPI_Group_free(&world);
}

void MpiContexts::close(Context first) noexcept {
  MpiGroup& group = groups_[first / 2];
  for (MPI_Comm* communicator : {&group.user, &group.collective}) {
    if (*communicator != MPI_COMM_NULL) MPI_Comm_free(communicator);
  }
  group = {};
}

}  // namespace nasvm
