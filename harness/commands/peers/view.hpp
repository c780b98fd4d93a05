#pragma once
/// \file
/// Tables and CSV of `nasvm peers`.

#include <span>
#include <string>
#include <vector>

#include "harness/report/view.hpp"

namespace nasvm {

/// Two tables for each document: ratios of the median times (peer to ours), kernels below each other and sizes beside
/// each other; then both times of each with spread and verification.
std::vector<Grid> peers_grids(std::span<const Source> sources, Columns columns);

/// One line for each run, ours and theirs.
std::string peers_csv(std::span<const Source> sources);

}  // namespace nasvm
