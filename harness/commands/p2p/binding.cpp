#include "harness/commands/p2p/binding.hpp"

#include <span>
#include <vector>

#include "vm/cores.hpp"

namespace nasvm {

bool bind_to_core(int index, int tasks) {
  const std::vector<int> cores = usable_core_numbers();
  if (cores.size() < static_cast<std::size_t>(tasks)) return false;
  return bind_to_cores(std::span(cores).subspan(static_cast<std::size_t>(index), 1));
}

}  // namespace nasvm
