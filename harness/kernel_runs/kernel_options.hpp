#pragma once
/// \file
/// Options that come from the table of kernels: the variant, and the parameters that single kernels declare.

#include <span>
#include <string>
#include <vector>

#include "harness/cli/command_line.hpp"
#include "kernels/kernel.hpp"

namespace nasvm {

/// Adds an option `--NAME` for each parameter that a kernel declares. Those given stand in `values` afterwards.
void add_kernel_parameters(CommandLine& line, ParameterValues& values);

/// --variant (--engine): a list, of which each of the kernels has every one. Left alone where none is given.
void add_variant_option(CommandLine& line, const std::vector<const Kernel*>& kernels,
                        std::vector<std::string>& variants);

/// Throws UsageError unless each of the kernels declares every one of these parameters, with that value and for that
/// variant. An empty name is the default variant of each.
void check_kernel_parameters(std::span<const Kernel* const> kernels, const std::string& variant,
                             const ParameterValues& values);

}  // namespace nasvm
