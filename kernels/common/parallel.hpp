#pragma once
/// \file
/// Parts of a loop, each on a thread of its own: always in the same way, so that each thread finds the memory that it
/// touched first.

#include <concepts>

namespace nasvm {

/// Calls `body(part)` for part 0 .. parts-1, each on a thread of its own where there are enough; blocks until all are
/// done. An exception must not leave the body.
template <std::invocable<int> Body>
void for_parts(int parts, const Body& body) {
#pragma omp parallel for num_threads(parts) schedule(static, 1) if (parts > 1)
  for (int part = 0; part < parts; ++part) body(part);
}

}  // namespace nasvm
