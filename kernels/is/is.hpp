#pragma once
/// \file
/// Kernel IS.

#include "kernels/kernel.hpp"

namespace nasvm::is {

extern const Kernel kernel;

/// `work` of the variants.
Work moving_work(const Problem& problem, int tasks);
Work histogram_work(const Problem& problem, int tasks);
Work paper_work(const Problem& problem, int tasks);

}  // namespace nasvm::is
