#pragma once
/// \file
/// Loops that do nothing but load a machine: what `nasvm roofline` measures its limits with. They stand with the
/// kernels so that they are compiled for the same processor as these.
///
/// Sources: McCalpin, "Memory Bandwidth and Machine Balance in Current High Performance Computers" (triad); Williams,
/// Waterman, Patterson, "Roofline: An Insightful Visual Performance Model".

#include <cstdint>
#include <span>

namespace nasvm::machine_loops {

/// The sum of all elements: 8 bytes read for each.
double read(std::span<const double> data);

/// a[i] = b[i] + factor * c[i]: 16 bytes read and 8 written for each. Spans of equal lengths.
void triad(std::span<double> a, std::span<const double> b, std::span<const double> c, double factor);

/// x = x * factor + summand in as many independent chains as keep the arithmetic units busy, `rounds` times. Returns
/// how many operations that were (a fused multiply-add is two); `result` takes what came out, so that it is computed.
double multiply_add(std::int64_t rounds, double& result);

}  // namespace nasvm::machine_loops
