#include "harness/kernel_runs/kernel_options.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "harness/cli/values.hpp"
#include "harness/report/distinct.hpp"
#include "harness/text.hpp"
#include "vm/status.hpp"

namespace nasvm {
namespace {

/// What --help says of a parameter that several kernels may declare.
std::string description_of(std::string_view parameter) {
  std::vector<std::string> texts;
  for (const Kernel& kernel : kernels()) {
    const KernelParameter* declared = kernel.parameter(parameter);
    if (declared != nullptr) texts.push_back(fmt::format("{}: {}", kernel.title, declared->description));
  }
  return joined(texts, "; ");
}

void add_parameter(CommandLine& line, ParameterValues& values, const KernelParameter& parameter) {
  const OptionText text{fmt::format("--{}", parameter.name), "NAME", description_of(parameter.name)};
  add_parsed(line, text, std::string(parameter.values.front()),
             [&line, &values, name = std::string(parameter.name)](const std::string& value) {
               if (line.given("--" + name)) values[name] = value;
             });
}

/// The names of all kernels that declare the parameter.
std::vector<std::string_view> owners_of(std::string_view parameter) {
  std::vector<std::string_view> owners;
  for (const Kernel& kernel : kernels()) {
    if (kernel.parameter(parameter) != nullptr) owners.push_back(kernel.name);
  }
  return owners;
}

void check_parameter(const Kernel& kernel, const std::string& variant, const std::string& name,
                     const std::string& value) {
  const KernelParameter* parameter = kernel.parameter(name);
  if (parameter == nullptr) {
    throw UsageError(fmt::format("--{}: kernel {} has no such parameter; it is one of {}", name, kernel.name,
                                 joined(owners_of(name))));
  }
  check_one_of("--" + name, value, parameter->values);
  if (kernel.variant(variant).farmed != nullptr) {
    throw UsageError(fmt::format("--{}: kernel {} does not have it with --variant {}", name, kernel.name, variant));
  }
  if (!parameter->variant.empty() && parameter->variant != kernel.variant(variant).name) {
    throw UsageError(
        fmt::format("--{}: kernel {} has it with --variant {} only", name, kernel.name, parameter->variant));
  }
}

/// Throws UsageError unless each of the kernels has that variant.
void check_variant(std::span<const Kernel* const> kernels, const std::string& variant) {
  for (const Kernel* kernel : kernels) {
    const auto known = names_of(kernel->variants);
    if (std::ranges::find(known, variant) != known.end()) continue;
    throw UsageError(
        fmt::format("--variant {}: kernel {} has {}{}", variant, kernel->name, joined(known), hint(variant, known)));
  }
}

}  // namespace

void add_kernel_parameters(CommandLine& line, ParameterValues& values) {
  for (const Kernel& kernel : kernels()) {
    for (const KernelParameter& parameter : kernel.parameters) {
      const bool first = owners_of(parameter.name).front() == kernel.name;
      if (first) add_parameter(line, values, parameter);
    }
  }
}

void add_variant_option(CommandLine& line, const std::vector<const Kernel*>& kernels,
                        std::vector<std::string>& variants) {
  add_parsed(
      line,
      {"--variant,--engine", "LIST",
       "variants of the kernel, such as classic,merged, for ft its engines (default: its first in nasvm info)"},
      "", [&line, &kernels, &variants](const std::string& list) {
        if (!line.given("--variant")) return;
        variants = distinct(split(list, ','), [&kernels](const std::string& name) {
          check_variant(kernels, name);
          return name;
        });
      });
}

void check_kernel_parameters(std::span<const Kernel* const> kernels, const std::string& variant,
                             const ParameterValues& values) {
  for (const Kernel* kernel : kernels) {
    for (const auto& [name, value] : values) check_parameter(*kernel, variant, name, value);
  }
}

}  // namespace nasvm
