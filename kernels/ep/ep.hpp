#pragma once
/// \file
/// Kernel EP.

#include "kernels/kernel.hpp"

namespace nasvm::ep {

extern const Kernel kernel;

/// `work` of all variants.
Work work(const Problem& problem, int tasks);

}  // namespace nasvm::ep
