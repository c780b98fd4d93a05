#pragma once
/// \file
/// Kernel IS.

#include "kernels/kernel.hpp"

namespace nasvm::is {

extern const Kernel kernel;

/// `kernel.work`.
Work work(const Problem& problem, int tasks);

}  // namespace nasvm::is
