#include "vm/abi/mpi/context_agreement.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

namespace nasvm::mpi {

Context agree_on_context(Communicator& comm, const std::vector<Rank>& members, Tag agreement_tag) {
  Comm& hidden = comm.hidden();
  std::array<Context, 1> agreed{};
  if (hidden.rank() != members.front()) {
    hidden.recv(agreed, members.front(), agreement_tag);
    return agreed.front();
  }
  agreed.front() = hidden.claim_context();
  for (std::size_t i = 1; i < members.size(); ++i) hidden.send(agreed, members[i], agreement_tag);
  return agreed.front();
}

Context agree_on_context(Comm& comm, Rank first) {
  Context agreed = comm.rank() == first ? comm.claim_context() : 0;
  comm.broadcast(std::span(&agreed, 1), first);
  return agreed;
}

std::unique_ptr<Comm> split_tasks(Comm& comm, int color, int key) {
  // Groups of different colours have no member in common, so they share one.
  const Context context = agree_on_context(comm);
  struct Member {
    int key;
    Rank rank;
  };
  const std::array<int, 2> mine{color, key};
  std::vector<int> all(2 * static_cast<std::size_t>(comm.size()));
  comm.allgather(mine, all);
  if (color < 0) return nullptr;
  std::vector<Member> members;
  for (Rank rank = 0; rank < comm.size(); ++rank) {
    const auto at = 2 * static_cast<std::size_t>(rank);
    if (all[at] == color) members.push_back({all[at + 1], rank});
  }
  std::ranges::stable_sort(members, {}, &Member::key);
  std::vector<Rank> world_ranks;
  for (const Member& member : members) world_ranks.push_back(comm.world_rank(member.rank));
  return comm.with_context(context, std::move(world_ranks), 0);
}

}  // namespace nasvm::mpi
