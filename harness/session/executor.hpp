#pragma once
/// \file
/// Who carries out what a command measures: the virtual machine, or a stand-in for tests.

#include <functional>
#include <memory>

#include "harness/document/document.hpp"

namespace nasvm {

template <typename Spec, typename Result>
class ExecutorOf {
 public:
  virtual ~ExecutorOf() = default;

  /// Carries out one step of the plan and blocks until all its tasks have ended. Throws RunError when it could not
  /// finish; what came out wrong is not an error, and stands in the result.
  virtual Result run(const Spec& spec) = 0;

  /// The hosts of the machine.
  virtual MachineRecord machine() = 0;
};

/// Makes an executor for the options, starting whatever it needs.
template <typename Executor, typename Options>
using ExecutorFactoryOf = std::function<std::unique_ptr<Executor>(const Options&)>;

}  // namespace nasvm
