#pragma once
/// \file
/// Who sent how much to whom, as a picture of characters.

#include <string>

#include "harness/kernel_runs/record.hpp"
#include "harness/report/grid.hpp"

namespace nasvm {

/// A row for each sender and a character for each receiver, the darker the more bytes. More ranks than fit are taken
/// together, as many for each character as are needed. Of a run with `by_pair`.
Grid heat_map_grid(const RunRecord& run, const std::string& what);

}  // namespace nasvm
