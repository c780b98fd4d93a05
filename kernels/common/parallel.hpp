#pragma once
/// \file
/// Parts of a loop, each on a thread of its own: always in the same way, so that each thread finds the memory that it
/// touched first.

#include <concepts>
#include <exception>

namespace nasvm {

/// Calls `body(part)` for part 0 .. parts-1, each on a thread of its own where there are enough; blocks until all are
/// done. Throws what one of them has thrown.
template <std::invocable<int> Body>
void for_parts(int parts, const Body& body) {
  std::exception_ptr failure;  // an exception must not leave a parallel loop
#pragma omp parallel for num_threads(parts) schedule(static, 1) if (parts > 1)
  for (int part = 0; part < parts; ++part) {
    try {
      body(part);
    } catch (...) {
#pragma omp critical
      failure = std::current_exception();
    }
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace nasvm
