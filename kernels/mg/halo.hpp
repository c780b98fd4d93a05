#pragma once
/// \file
/// Moving halo planes between tasks: what one task sends, receives and copies, and doing it.

#include <algorithm>
#include <concepts>
#include <span>
#include <vector>

#include "kernels/mg/hierarchy.hpp"
#include "vm/comm.hpp"

namespace nasvm::mg {

/// One task's part of a set of moves.
struct HaloPlan {
  std::vector<PlaneMove> sends;
  std::vector<PlaneMove> receives;
  std::vector<PlaneMove> copies;  ///< from itself: the grid is periodic
};

HaloPlan halo_plan(std::span<const PlaneMove> moves, int rank);

/// Tags of MG's messages. Of one pair of tasks and one exchange at most one message has the same tag.
inline constexpr Tag gather_tag = 3;
inline constexpr Tag hand_out_tag = 4;
constexpr Tag halo_tag(Side side) { return side == Side::below ? 1 : 2; }

/// Blocks until all halo planes of the plan are in place. `outgoing(move)` is the plane to send or copy, which stays
/// unchanged meanwhile; `incoming(side)` is where the halo plane of that side belongs.
template <std::invocable<const PlaneMove&> Outgoing, std::invocable<Side> Incoming>
void exchange(Comm& comm, const HaloPlan& plan, const Outgoing& outgoing, const Incoming& incoming) {
  std::vector<Request> requests;
  requests.reserve(plan.receives.size() + plan.sends.size());
  for (const PlaneMove& move : plan.receives) {
    requests.push_back(comm.irecv(incoming(move.side), move.from, halo_tag(move.side)));
  }
  for (const PlaneMove& move : plan.sends) {
    requests.push_back(comm.isend(outgoing(move), move.to, halo_tag(move.side)));
  }
  for (const PlaneMove& move : plan.copies) std::ranges::copy(outgoing(move), incoming(move.side).begin());
  comm.wait_all(requests);
}

}  // namespace nasvm::mg
