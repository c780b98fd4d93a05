#pragma once
/// \file
/// Who measures between tasks: the virtual machine, or a stand-in for tests.

#include <functional>
#include <memory>

#include "harness/commands/p2p/order.hpp"
#include "harness/commands/p2p/plan.hpp"
#include "harness/document/document.hpp"

namespace nasvm {

class P2pExecutor {
 public:
  virtual ~P2pExecutor() = default;

  /// Measures all sizes once and blocks until all tasks have ended. One record for each size that the path carries,
  /// complete but for `transport` and `repeat`. Throws RunError when the run could not finish. Data that arrived
  /// wrong is not an error: see `data` of the records, and the complaints.
  virtual P2pReport run(const P2pSpec& spec) = 0;

  /// The hosts of the machine.
  virtual MachineRecord machine() = 0;
};

/// Makes an executor for the options, starting whatever it needs.
using P2pExecutorFactory = std::function<std::unique_ptr<P2pExecutor>(const P2pOptions&)>;

/// The one over the virtual machine.
std::unique_ptr<P2pExecutor> make_vm_p2p_executor(const P2pOptions& options);

}  // namespace nasvm
