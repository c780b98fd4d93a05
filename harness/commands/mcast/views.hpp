#pragma once
/// \file
/// How what `nasvm mcast` measured is shown: tables, columns of CSV, what may be held against other measurements.

#include <span>
#include <string>
#include <vector>

#include "harness/commands/mcast/record.hpp"
#include "harness/report/case_grid.hpp"
#include "harness/report/compared.hpp"
#include "harness/report/view.hpp"

namespace nasvm {

/// Groups of as many receivers and bytes (and of one figure), in each the protocols as they were measured.
std::vector<GroupOf<McastRecord>> group_mcast(std::span<const Source> sources);

/// One row for each protocol, and how much faster each is than the yardsticks beside it. Of documents of --figures
/// the figures.
std::vector<Grid> mcast_grids(std::span<const Source> sources, Columns columns);

/// One line for each run and size.
std::string mcast_csv(std::span<const Source> sources);

/// Times of protocols; yardsticks and message systems are not ours to judge.
std::vector<Compared> compared_mcast(const Document& document);

}  // namespace nasvm
