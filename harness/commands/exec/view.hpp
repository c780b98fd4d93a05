#pragma once
/// \file
/// Tables of programs' runs: those of kernels, and below them the calls of MPI as users of mpiP and IPM know them.

#include <span>
#include <string>
#include <vector>

#include "harness/report/view.hpp"

namespace nasvm {

std::vector<Grid> exec_grids(std::span<const Source> sources, Columns columns);
/// The same with tasks and matrices.
std::vector<Grid> exec_rank_grids(std::span<const Source> sources, Columns columns);
/// The calls alone.
std::vector<Grid> call_grids(std::span<const Source> sources, Columns columns);
/// A line for each function of each run.
std::string call_csv(std::span<const Source> sources);

}  // namespace nasvm
