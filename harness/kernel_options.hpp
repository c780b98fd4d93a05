#pragma once
/// \file
/// Options that come from the table of kernels: the variant, and the parameters that single kernels declare.

#include <span>
#include <string>

#include "kernels/kernel.hpp"

namespace CLI {
class App;
}

namespace nasvm {

/// Adds an option `--NAME` for each parameter that a kernel declares. Parsing writes those given to `values`.
void add_kernel_parameters(CLI::App& command, ParameterValues& values);

/// Throws UsageError unless each of the kernels has that variant. An empty name is the default of each.
void check_variant(std::span<const Kernel* const> kernels, const std::string& variant);

/// Throws UsageError unless each of the kernels declares every one of these parameters, with that value.
void check_kernel_parameters(std::span<const Kernel* const> kernels, const ParameterValues& values);

}  // namespace nasvm
