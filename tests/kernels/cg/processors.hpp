#pragma once
/// \file
/// The caches of several processors: what CG's choices are held against.

#include <cstdint>
#include <vector>

#include "kernels/cg/tiled_slices.hpp"
#include "vm/machine_topology.hpp"

namespace nasvm::cg::test {

inline constexpr std::uint64_t kib = 1 << 10;
inline constexpr std::uint64_t mib = 1 << 20;

struct Processor {
  const char* name;
  std::vector<Cache> caches;
};

inline const std::vector<Processor> processors{
    {"Zen 4", {{1, 32 * kib, 2}, {2, 1 * mib, 2}, {3, 32 * mib, 16}}},
    {"Zen 3", {{1, 32 * kib, 2}, {2, 512 * kib, 2}, {3, 32 * mib, 16}}},
    {"Cascade Lake", {{1, 32 * kib, 1}, {2, 1 * mib, 1}, {3, 36 * mib, 2}}},
    {"Sapphire Rapids", {{1, 48 * kib, 2}, {2, 2 * mib, 2}, {3, 105 * mib, 112}}},
};

inline double elements_in(std::uint64_t bytes) { return static_cast<double>(bytes) / stored_element_bytes; }

}  // namespace nasvm::cg::test
