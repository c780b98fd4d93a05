#pragma once
/// \file
/// Kernel CG.

#include "kernels/kernel.hpp"

namespace nasvm::cg {

extern const Kernel kernel;

/// `work` of all variants.
Work work(const Problem& problem, int tasks);

}  // namespace nasvm::cg
