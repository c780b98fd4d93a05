#include "kernels/mg/halo.hpp"

namespace nasvm::mg {

HaloPlan halo_plan(std::span<const PlaneMove> moves, int rank) {
  HaloPlan plan;
  for (const PlaneMove& move : moves) {
    if (move.from == rank && move.to == rank) {
      plan.copies.push_back(move);
    } else if (move.from == rank) {
      plan.sends.push_back(move);
    } else if (move.to == rank) {
      plan.receives.push_back(move);
    }
  }
  return plan;
}

}  // namespace nasvm::mg
