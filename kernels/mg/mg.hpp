#pragma once
/// \file
/// Kernel MG.

#include "kernels/kernel.hpp"

namespace nasvm::mg {

extern const Kernel kernel;

/// `work` of all variants.
Work work(const Problem& problem, int tasks);

}  // namespace nasvm::mg
