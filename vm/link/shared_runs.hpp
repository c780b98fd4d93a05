#pragma once
/// \file
/// Where, in the stream to one host, there are runs of bytes that other hosts are sent as well (vm/link/sharing.hpp).
///
/// A run is *held* until it has left with the others' or has been released: what is held does not leave alone. Runs
/// are remembered until they are acknowledged, for repetitions. Pure bookkeeping.

#include <cstddef>
#include <cstdint>
#include <deque>

namespace nasvm::link {

/// A piece of a block: what one shared datagram carries.
struct SharedPiece {
  std::uint64_t block = 0;
  std::size_t position = 0;  ///< in the block
  std::size_t bytes = 0;
};

class SharedRuns {
 public:
  struct Run {
    std::uint64_t block = 0;
    std::uint64_t begin = 0;
    std::size_t bytes = 0;
    bool held = true;

    [[nodiscard]] std::uint64_t end() const { return begin + bytes; }
  };

  /// Adds the run of a block behind all others.
  void add(std::uint64_t block, std::uint64_t begin, std::size_t bytes) { runs_.push_back({block, begin, bytes}); }
  void release(std::uint64_t block);
  void forget_before(std::uint64_t acknowledged);

  /// The first held run that ends behind `offset`; nullptr: nothing is held.
  [[nodiscard]] const Run* held_from(std::uint64_t offset) const;
  /// The run that has the byte at `offset`; nullptr: none.
  [[nodiscard]] const Run* at(std::uint64_t offset) const;
  [[nodiscard]] const Run* find(std::uint64_t block) const;

 private:
  [[nodiscard]] std::deque<Run>::const_iterator ending_behind(std::uint64_t offset) const;

  std::deque<Run> runs_;  ///< ascending, apart from each other
};

}  // namespace nasvm::link
