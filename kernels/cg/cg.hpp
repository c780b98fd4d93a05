#pragma once
/// \file
/// Kernel CG.

#include "kernels/cg/problem.hpp"
#include "kernels/cg/recurrence.hpp"
#include "kernels/kernel.hpp"

namespace nasvm::cg {

extern const Kernel kernel;

/// Runs and verifies the problem; `kernel.run` after class and variant have been looked up. Collective over `comm`.
Outcome solve(Comm& comm, const Parameters& problem, int threads, MakeRecurrence make_recurrence);

/// `work` of all variants.
Work work(const Problem& problem, int tasks);

}  // namespace nasvm::cg
