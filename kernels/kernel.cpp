#include "kernels/kernel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "kernels/cg/cg.hpp"
#include "kernels/ep/ep.hpp"
#include "kernels/ft/ft.hpp"
#include "kernels/is/is.hpp"
#include "kernels/mg/mg.hpp"
#include "vm/status.hpp"

namespace nasvm {
namespace {

/// The row of that name, or nullptr.
template <typename Row>
const Row* find(std::span<const Row> rows, std::string_view name) {
  const auto found = std::ranges::find(rows, name, &Row::name);
  return found == rows.end() ? nullptr : &*found;
}

/// "even and pilot", "a, b and c".
std::string listed(std::span<const std::string_view> names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 < names.size() ? ", " : " and ";
    text += names[i];
  }
  return text;
}

}  // namespace

std::size_t KernelParameter::index_of(std::string_view value) const {
  const auto found = std::ranges::find(values, value);
  if (found != values.end()) return static_cast<std::size_t>(found - values.begin());
  throw UsageError(fmt::format("{} '{}' is not known; it may be {}", name, value, listed(values)));
}

std::size_t KernelParameter::chosen(const Problem& problem) const {
  const auto given = problem.parameters.find(name);
  return given == problem.parameters.end() ? 0 : index_of(given->second);
}

const KernelVariant& Kernel::variant(std::string_view variant_name) const {
  const KernelVariant* found = variant_name.empty() ? &variants.front() : find(variants, variant_name);
  if (found != nullptr) return *found;
  std::vector<std::string_view> known;
  for (const KernelVariant& row : variants) known.push_back(row.name);
  throw UsageError(fmt::format("{} has no variant '{}'; it has {}", name, variant_name, listed(known)));
}

Outcome Kernel::run(Comm& comm, const Problem& problem) const {
  const KernelVariant& chosen = variant(problem.variant);
  if (chosen.run != nullptr) return chosen.run(comm, problem);
  throw UsageError(fmt::format("{}'s variant {} spawns its tasks: those of a Comm cannot run it", name, chosen.name));
}

const KernelParameter* Kernel::parameter(std::string_view parameter_name) const {
  return find(parameters, parameter_name);
}

std::span<const Kernel> kernels() {
  static const std::array table{ep::kernel, mg::kernel, cg::kernel, ft::kernel, is::kernel};
  return table;
}

const Kernel* find_kernel(std::string_view name) { return find(kernels(), name); }

}  // namespace nasvm
