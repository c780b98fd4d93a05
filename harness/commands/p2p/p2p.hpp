#pragma once
/// \file
/// `nasvm p2p`: plan, runs, exports, results.

#include "harness/session/output.hpp"
#include "harness/commands/p2p/executor.hpp"
#include "vm/status.hpp"

namespace nasvm {

/// Throws RunError when a collective needs more memory than that on the one host that it runs on.
void check_memory(const P2pOptions& options, std::uint64_t available_bytes);

/// Measures every path at every size and prints the results. Exports are opened before the executor is made and
/// rewritten after every run. Exit::failed when data arrived wrong (the other runs still go on); throws UsageError
/// and RunError, the latter after what had been measured until then is printed.
Exit p2p(const P2pOptions& options, const P2pExecutorFactory& make_executor, const Console& console);

}  // namespace nasvm
