#pragma once
/// \file
/// How collectives are shown: table, and the layout of osu_allreduce, osu_alltoall and so on.

#include <span>
#include <string>
#include <vector>

#include "harness/commands/p2p/collective/record.hpp"
#include "harness/commands/p2p/tables.hpp"
#include "harness/report/compared.hpp"

namespace nasvm {

/// The groups of one collective and number of tasks together, by size.
std::vector<GroupOf<CollectiveRecord>> group_collectives(std::span<const Source> sources);

/// One row for each path, sizes below each other, ratios of the first path to the last.
std::vector<Grid> collective_grids(std::span<const Source> sources, Columns columns);

/// One line for each run and size.
std::string collective_csv(std::span<const Source> sources);

/// Times of single calls.
std::vector<Compared> compared_collectives(const Document& document);

/// What osu_allreduce, osu_alltoall and so on print.
std::string render_collective_osu(const Report& report);

}  // namespace nasvm
