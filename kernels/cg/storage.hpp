#pragma once
/// \file
/// In which form a slab of the matrix is kept. To store half of its symmetric square takes more instructions and
/// reads fewer bytes, so it pays where the bytes are what a product waits for:
/// docs/decisions/cg-symmetric-squares.md.

#include <span>

#include "vm/machine_topology.hpp"

namespace nasvm::cg {

enum class Storage {
  full,         ///< every element is stored
  half_square,  ///< of the symmetric square the diagonal and what is right of it
  faster,       ///< of these two the one whose product takes less time; both are tried before the clock starts
};

// `caches` are a core's, from the nearest to the farthest.

/// The nearest that holds about so many elements, which take 10 bytes each; nullptr: none does.
[[nodiscard]] const Cache* cache_for(double elements, std::span<const Cache> caches);

/// For so many elements: `full` in a core's own caches, `half_square` beyond all caches, and `faster` in a cache that
/// cores share, since nobody tells how fast that is, or how much of it a virtual machine gets.
[[nodiscard]] Storage storage_for(double elements, std::span<const Cache> caches);

}  // namespace nasvm::cg
