#pragma once
/// \file
/// FT as a benchmark: the untimed set-up, the timed region, the verdict.

#include "kernels/ft/problem.hpp"
#include "kernels/ft/solver.hpp"
#include "kernels/kernel.hpp"

namespace nasvm::ft {

/// Runs and verifies against the checksums of `problem`. Collective. The timed region makes roots of unity,
/// generates the initial field, transforms it, does every iteration with its checksum, and compares. Not timed, as in
/// NASA's reference: one pass of the first three; here also memory, and FFTW's plans, in which its roots are.
/// After a restart the timed region is the remaining iterations alone, and the comparison.
Outcome run_benchmark(Comm& comm, const Parameters& problem, EngineKind engine, int threads,
                      Checkpoints* checkpoints = nullptr);

}  // namespace nasvm::ft
