#pragma once
/// \file
/// Probes of a few milliseconds that say what the machine is like now. They run in threads of their own, bound to the
/// cores that they ask, so that the calling thread stays where it is; they are made between samples, never beside
/// one.

#include <cstdint>
#include <span>

#include "harness/conditions/huge_array.hpp"

namespace nasvm {

/// How long a cache line takes from one core to the other, in ns: half a round trip of an atomic variable between two
/// threads, the least of many short batches. 0 when the cores are so busy that no batch came to its end within the
/// deadline (20 ms). Blocks.
double core_to_core_ns(int core, int other);

/// The largest of neighbours in that list, of at most four pairs spread over it; 0 for fewer than two cores.
double core_to_core_ns(std::span<const int> cores);

/// Memory that a core reads.
class MemoryProbe {
 public:
  /// Of twice the size of the caches, 64 MiB at most. Blocks for its first touch, tens of milliseconds.
  explicit MemoryProbe(std::uint64_t cache_bytes);

  /// GB/s (10^9 bytes), the median of several pieces. Blocks for some 6 ms.
  [[nodiscard]] double gb_s(int core) const;

 private:
  HugeArray<std::uint64_t> words_;
};

}  // namespace nasvm
