#pragma once
/// \file
/// What lies before a task's part of something that all tasks hold in order.

#include <cstdint>
#include <span>

#include "vm/comm.hpp"

namespace nasvm::is {

/// Sum of the values of the lower ranks. Collective.
inline std::uint64_t sum_before(Comm& comm, std::uint64_t value) {
  std::uint64_t through_mine = value;
  comm.scan(std::span(&through_mine, 1));
  return through_mine - value;
}

}  // namespace nasvm::is
