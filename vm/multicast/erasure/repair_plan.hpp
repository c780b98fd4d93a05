#pragma once
/// \file
/// How many repairs of each block of a message are to leave. Pure bookkeeping.
///
/// A receiver says how many it lacks, and which transmission it saw last: all repairs that left up to that one it has
/// counted, later ones are still on their way to it. So the repairs that left by then and those that it lacks,
/// together, are what it needs; a block needs what the worst of its receivers does. However many ask, and however
/// often, nothing leaves twice for the same want.
///
/// Some repairs leave unasked, with the block itself, as many as the last blocks have shown to be needed: they save a
/// round trip. When nothing is lost that number falls to nothing again.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

namespace nasvm::multicast::erasure {

class RepairPlan {
 public:
  /// A message of so many blocks, of `pieces` each. What has been learnt of losses stays.
  void begin(std::uint32_t blocks, std::uint32_t pieces);

  /// All pieces of the block have left.
  void left(std::uint32_t block);
  /// A receiver that has seen transmission `seen` lacks so many. Returns whether more are to leave because of that.
  bool lacks(std::uint32_t block, std::uint32_t lacking, std::uint32_t seen);
  /// All receivers have every block before this one.
  void complete(std::uint32_t blocks);

  /// The first block of which a repair is to leave, if any.
  [[nodiscard]] std::optional<std::uint32_t> next() const;
  [[nodiscard]] bool wants(std::uint32_t block) const { return blocks_[block].wanted > repairs(block); }
  /// How many have left.
  [[nodiscard]] std::uint32_t repairs(std::uint32_t block) const {
    return static_cast<std::uint32_t>(blocks_[block].transmissions.size());
  }
  /// The next repair of the block leaves as that transmission.
  void leave(std::uint32_t block, std::uint32_t transmission);
  /// How many leave unasked; not more than the pieces, however many a block has needed while nothing came.
  [[nodiscard]] std::uint32_t unasked() const { return std::min(static_cast<std::uint32_t>(estimate_), pieces_); }

 private:
  struct Block {
    std::uint32_t wanted = 0;                  ///< repairs in all
    std::uint32_t unasked = 0;                 ///< of those
    std::vector<std::uint32_t> transmissions;  ///< of the repairs that have left
  };
  void want(Block& block, std::uint32_t repairs);
  void learn(const Block& block);

  std::vector<Block> blocks_;
  std::uint32_t complete_ = 0;  ///< blocks before it are
  std::uint32_t waiting_ = 0;   ///< repairs that are to leave
  std::uint32_t pieces_ = 0;    ///< of a block
  double estimate_ = 0;
};

}  // namespace nasvm::multicast::erasure
