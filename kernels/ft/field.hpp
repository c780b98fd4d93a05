#pragma once
/// \file
/// A field: one task's part of a three-dimensional complex array. Long strides touch a new page with every access;
/// huge pages keep their addresses in the TLB.

#include "kernels/common/large_memory.hpp"
#include "kernels/ft/problem.hpp"

namespace nasvm::ft {

using Field = LargeBuffer<Complex>;

}  // namespace nasvm::ft
