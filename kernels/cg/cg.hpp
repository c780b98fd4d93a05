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
/// The same for variant `paper`. Tasks that the largest square leaves over wait for the result.
Outcome solve_on_square(Comm& comm, const Parameters& problem, int threads);

/// `work` of all variants.
Work work(const Problem& problem, int tasks);

}  // namespace nasvm::cg
