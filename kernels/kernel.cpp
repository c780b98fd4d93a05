#include "kernels/kernel.hpp"

#include <algorithm>
#include <array>

#include "kernels/cg/cg.hpp"
#include "kernels/ep/ep.hpp"
#include "kernels/ft/ft.hpp"
#include "kernels/is/is.hpp"
#include "kernels/mg/mg.hpp"

namespace nasvm {

std::span<const Kernel> kernels() {
  static const std::array table{ep::kernel, mg::kernel, cg::kernel, ft::kernel, is::kernel};
  return table;
}

const Kernel* find_kernel(std::string_view name) {
  const auto all = kernels();
  const auto found = std::find_if(all.begin(), all.end(), [&](const Kernel& kernel) { return kernel.name == name; });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace nasvm
