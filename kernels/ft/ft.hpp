#pragma once
/// \file
/// Kernel FT: a partial differential equation solved by three-dimensional Fourier transforms.
/// docs/kernels/ft.md describes it. Source: The NAS Parallel Benchmarks, RNR-94-007, section 2.2.4 (kernel FT);
/// White, Alund, Sunderam, "Performance of the NAS Parallel Benchmarks on PVM-Based Networks", section 4.5.

#include "kernels/kernel.hpp"

namespace nasvm::ft {

extern const Kernel kernel;

/// `work` of the variants with one transpose for each transform, and of that with two.
Work work(const Problem& problem, int tasks);
Work paper_work(const Problem& problem, int tasks);

}  // namespace nasvm::ft
