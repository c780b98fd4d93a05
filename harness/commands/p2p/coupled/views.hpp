#pragma once
/// \file
/// How runs of the coupled model are shown: the rows of the paper's Table 3.

#include <span>
#include <string>
#include <vector>

#include "harness/commands/p2p/coupled/record.hpp"
#include "harness/commands/p2p/tables.hpp"
#include "harness/report/compared.hpp"

namespace nasvm {

/// Numbers of tasks and sizes below each other, in each the scenarios.
std::vector<Grid> coupled_grids(std::span<const Source> sources, Columns columns);

/// One line for each run, scenario and size.
std::string coupled_csv(std::span<const Source> sources);

/// The times of steps.
std::vector<Compared> compared_coupled(const Document& document);

}  // namespace nasvm
