#pragma once
/// \file
/// Runs task by task: what each has spent and sent, and who sent how much to whom.

#include <span>
#include <string>
#include <vector>

#include "harness/report/formats.hpp"

namespace nasvm {

/// The usual tables, below them the tasks of each case (medians of its repeats), then for each size the matrices of
/// bytes and messages, of hosts in place of tasks where these are many. Matrices are of the first repeat, and there
/// is one for all transports over which the same was sent.
std::vector<Grid> rank_grids(std::span<const Source> sources, Columns columns);

/// One line for each task of each run, with its row of the matrix in one cell: "1:1024:16;3:8:1" (peer, bytes,
/// messages).
std::string rank_csv(std::span<const Source> sources);

}  // namespace nasvm
