#pragma once
/// \file
/// Dividing planes among the threads of a task, always in the same way, so that each thread finds the planes that
/// it touched first.

#include <algorithm>
#include <concepts>

#include "kernels/common/parallel.hpp"
#include "kernels/common/partition.hpp"

namespace nasvm::mg {

/// With how many of `threads` threads a grid is computed. One for short edges: starting a team would take longer.
constexpr int threads_for(int edge, int threads) { return edge < 32 ? 1 : threads; }

/// Into how many parts `threads` threads divide so many planes: at least one, also of nothing.
constexpr int parts_of(Range planes, int threads) {
  return static_cast<int>(std::clamp<std::int64_t>(planes.size(), 1, threads));
}

/// Calls `body(chunk)` for consecutive chunks of `planes`, one on each thread.
template <std::invocable<Range> Body>
void for_chunks(int threads, Range planes, const Body& body) {
  const int parts = parts_of(planes, threads);
  for_parts(parts, [&](int part) { body(share(planes, parts, part)); });
}

/// Calls `body(z)` for every plane.
template <std::invocable<std::int64_t> Body>
void for_planes(int threads, Range planes, const Body& body) {
  for_chunks(threads, planes, [&](Range chunk) {
    for (std::int64_t z = chunk.begin; z < chunk.end; ++z) body(z);
  });
}

}  // namespace nasvm::mg
