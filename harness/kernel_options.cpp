#include "harness/kernel_options.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "harness/text.hpp"
#include "vm/status.hpp"

namespace nasvm {
namespace {

void add_parameter(CLI::App& command, ParameterValues& values, const Kernel& kernel,
                   const KernelParameter& parameter) {
  const std::string option_name = fmt::format("--{}", parameter.name);
  const std::string text = fmt::format("{}: {}", kernel.title, parameter.description);
  if (CLI::Option* of_another = command.get_option_no_throw(option_name)) {
    of_another->description(of_another->get_description() + "; " + text);
    return;
  }
  const auto keep = [&values, name = std::string(parameter.name)](const std::string& value) { values[name] = value; };
  command.add_option_function<std::string>(option_name, keep, text)
      ->type_name("NAME")
      ->default_str(std::string(parameter.values.front()));
}

/// The names of all kernels that declare the parameter.
std::vector<std::string_view> owners_of(std::string_view parameter) {
  std::vector<std::string_view> owners;
  for (const Kernel& kernel : kernels()) {
    if (kernel.parameter(parameter) != nullptr) owners.push_back(kernel.name);
  }
  return owners;
}

void check_parameter(const Kernel& kernel, const std::string& name, const std::string& value) {
  const KernelParameter* parameter = kernel.parameter(name);
  if (parameter == nullptr) {
    throw UsageError(fmt::format("--{}: kernel {} has no such parameter; it is one of {}", name, kernel.name,
                                 joined(owners_of(name))));
  }
  if (std::ranges::find(parameter->values, value) == parameter->values.end()) {
    throw UsageError(fmt::format("--{} {}: not known; known are {}", name, value, joined(parameter->values)));
  }
}

}  // namespace

void add_kernel_parameters(CLI::App& command, ParameterValues& values) {
  for (const Kernel& kernel : kernels()) {
    for (const KernelParameter& parameter : kernel.parameters) add_parameter(command, values, kernel, parameter);
  }
}

void check_variant(std::span<const Kernel* const> kernels, const std::string& variant) {
  if (variant.empty()) return;
  for (const Kernel* kernel : kernels) {
    const auto known = names_of(kernel->variants);
    if (std::ranges::find(known, variant) != known.end()) continue;
    throw UsageError(fmt::format("--variant {}: kernel {} has {}", variant, kernel->name, joined(known)));
  }
}

void check_kernel_parameters(std::span<const Kernel* const> kernels, const ParameterValues& values) {
  for (const Kernel* kernel : kernels) {
    for (const auto& [name, value] : values) check_parameter(*kernel, name, value);
  }
}

}  // namespace nasvm
