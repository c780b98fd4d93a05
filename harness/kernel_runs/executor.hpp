#pragma once
/// \file
/// Who runs a kernel: the virtual machine, or a stand-in for tests.

#include <functional>
#include <memory>

#include "harness/document/document.hpp"
#include "harness/kernel_runs/options.hpp"
#include "harness/kernel_runs/plan.hpp"
#include "harness/kernel_runs/record.hpp"

namespace nasvm {

class Executor {
 public:
  virtual ~Executor() = default;

  /// Runs once and blocks until all tasks have ended. Fills `verified`, `time_s` (the slowest task's), `details` and
  /// `comm` (with `by_rank` and `by_method`; `add_up` makes the totals); the caller fills the rest.
  /// Throws RunError when the run could not finish. A failed verification is not an error.
  virtual RunRecord run(const RunSpec& spec) = 0;

  /// The hosts of the machine.
  virtual MachineRecord machine() = 0;
};

/// Makes an executor for the options, starting whatever it needs.
using ExecutorFactory = std::function<std::unique_ptr<Executor>(const RunOptions&)>;

}  // namespace nasvm
