#pragma once
/// \file
/// Dividing planes among the threads of a task, always in the same way, so that each thread finds the planes that
/// it touched first.

#include <algorithm>
#include <concepts>

#include "kernels/common/partition.hpp"

namespace nasvm::mg {

/// Calls `body(part)` for part 0 .. parts-1, each on a thread of its own where there are enough; blocks until all are
/// done.
template <std::invocable<int> Body>
void for_parts(int parts, const Body& body) {
#pragma omp parallel for num_threads(parts) schedule(static, 1) if (parts > 1)
  for (int part = 0; part < parts; ++part) body(part);
}

/// Into how many parts `threads` threads divide so many planes: at least one, also of nothing.
constexpr int parts_of(Range planes, int threads) {
  return static_cast<int>(std::clamp<std::int64_t>(planes.size(), 1, threads));
}

/// One of those parts.
constexpr Range part_of(Range planes, int parts, int part) {
  const Range chunk = share(planes.size(), parts, part);
  return {planes.begin + chunk.begin, planes.begin + chunk.end};
}

/// Calls `body(chunk)` for consecutive chunks of `planes`, one on each thread.
template <std::invocable<Range> Body>
void for_chunks(int threads, Range planes, const Body& body) {
  const int parts = parts_of(planes, threads);
  for_parts(parts, [&](int part) { body(part_of(planes, parts, part)); });
}

/// Calls `body(z)` for every plane.
template <std::invocable<std::int64_t> Body>
void for_planes(int threads, Range planes, const Body& body) {
  for_chunks(threads, planes, [&](Range chunk) {
    for (std::int64_t z = chunk.begin; z < chunk.end; ++z) body(z);
  });
}

}  // namespace nasvm::mg
