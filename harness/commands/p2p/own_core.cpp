#include "harness/commands/p2p/own_core.hpp"

#include <span>
#include <vector>

#include "vm/cores.hpp"

namespace nasvm {

bool bind_to_own_core(Binding bind, int index, int tasks) {
  if (bind == Binding::none) return false;
  const std::vector<int> cores = usable_core_numbers();
  if (cores.size() < static_cast<std::size_t>(tasks)) return false;
  return bind_to_cores(std::span(cores).subspan(static_cast<std::size_t>(index), 1));
}

}  // namespace nasvm
