#pragma once
/// \file
/// `nasvm compare`: tables of saved results.

#include "harness/kernel_runs/options.hpp"
#include "harness/session/output.hpp"
#include "vm/status.hpp"

namespace nasvm {

/// Prints the documents in the chosen format; one document as `nasvm run` printed it, several side by side with the
/// ratios of the first to the last. Documents of `nasvm p2p` are printed in its formats. Exit::failed when a run in
/// them had failed its verification. Throws UsageError.
Exit compare(const CompareOptions& options, const Console& console);

}  // namespace nasvm
