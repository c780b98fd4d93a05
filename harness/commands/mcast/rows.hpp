#pragma once
/// \file
/// The protocols that `nasvm mcast` measures: those of the program's table, the yardsticks `raw` and
/// `copies`, and the program's own choice `auto`. The last two have no ends of their own.

#include <span>
#include <vector>

#include "vm/multicast/table.hpp"

namespace nasvm {

std::vector<multicast::Row> measured_protocols(std::span<const multicast::Row> table);

}  // namespace nasvm
