#pragma once
/// \file
/// Dividing planes among the threads of a task, always in the same way, so that each thread finds the planes that
/// it touched first.

#include <concepts>

#include "kernels/common/partition.hpp"

#ifdef _OPENMP
#include <omp.h>
#endif

namespace nasvm::mg {

/// Calls `body(chunk)` for consecutive chunks of `planes`, one on each thread; blocks until all are done.
template <std::invocable<Range> Body>
void for_chunks(int threads, Range planes, const Body& body) {
#ifdef _OPENMP
  if (threads > 1 && planes.size() > 1) {
#pragma omp parallel num_threads(threads)
    {
      const Range chunk = share(planes.size(), omp_get_num_threads(), omp_get_thread_num());
      if (chunk.size() > 0) body(Range{planes.begin + chunk.begin, planes.begin + chunk.end});
    }
    return;
  }
#endif
  static_cast<void>(threads);
  if (planes.size() > 0) body(planes);
}

/// Calls `body(z)` for every plane.
template <std::invocable<std::int64_t> Body>
void for_planes(int threads, Range planes, const Body& body) {
  for_chunks(threads, planes, [&](Range chunk) {
    for (std::int64_t z = chunk.begin; z < chunk.end; ++z) body(z);
  });
}

}  // namespace nasvm::mg
