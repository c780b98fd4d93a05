#include "vm/multicast/erasure/repair_plan.hpp"

#include <algorithm>

#include "vm/multicast/window/sequence.hpp"

namespace nasvm::multicast::erasure {
namespace {

/// How much a block's need changes the estimate.
constexpr double gain = 0.25;
/// Of the repairs that a block needed in the end, those that leave unasked: the worst receiver of the next block may
/// need fewer, and a repair too many costs as much as a piece.
constexpr double cautious = 0.7;
/// What is left of an estimate that was enough, which may be far too much once a sender has slowed down.
constexpr double sparing = 0.8;

}  // namespace

void RepairPlan::begin(std::uint32_t blocks, std::uint32_t pieces) {
  blocks_.assign(blocks, {});
  complete_ = 0;
  waiting_ = 0;
  pieces_ = pieces;
}

void RepairPlan::want(Block& block, std::uint32_t repairs) {
  if (repairs <= block.wanted) return;
  waiting_ += repairs - block.wanted;
  block.wanted = repairs;
}

void RepairPlan::left(std::uint32_t block) {
  blocks_[block].unasked = unasked();
  want(blocks_[block], unasked());
}

bool RepairPlan::lacks(std::uint32_t block, std::uint32_t lacking, std::uint32_t seen) {
  if (block < complete_) return false;
  const auto& transmissions = blocks_[block].transmissions;
  const auto counted = std::ranges::partition_point(
      transmissions, [&](std::uint32_t transmission) { return !before(seen, transmission); });
  const std::uint32_t waited = waiting_;
  want(blocks_[block], static_cast<std::uint32_t>(counted - transmissions.begin()) + lacking);
  return waiting_ != waited;
}

void RepairPlan::complete(std::uint32_t blocks) {
  for (; complete_ < blocks; ++complete_) {
    Block& block = blocks_[complete_];
    waiting_ -= block.wanted - repairs(complete_);
    learn(block);
    block = {};
  }
}

void RepairPlan::learn(const Block& block) {
  const auto needed = static_cast<double>(std::min(block.wanted, pieces_));
  // When nobody asked, those that left unasked were enough, and may have been too many.
  const double sample = block.wanted > block.unasked ? cautious * needed : sparing * needed - 1;
  estimate_ = std::max(0.0, estimate_ + gain * (sample - estimate_));
}

std::optional<std::uint32_t> RepairPlan::next() const {
  if (waiting_ == 0) return std::nullopt;
  std::uint32_t block = complete_;
  while (!wants(block)) ++block;
  return block;
}

void RepairPlan::leave(std::uint32_t block, std::uint32_t transmission) {
  blocks_[block].transmissions.push_back(transmission);
  --waiting_;
}

}  // namespace nasvm::multicast::erasure
