#pragma once
/// \file
/// Tables and CSV of `nasvm roofline`.

#include <span>
#include <string>
#include <vector>

#include "harness/report/view.hpp"

namespace nasvm {

/// Two tables for each document: the limits of the machine, then what each case reached of them.
std::vector<Grid> roofline_grids(std::span<const Source> sources, Columns columns);

/// One line for each run, with its bound.
std::string roofline_csv(std::span<const Source> sources);

}  // namespace nasvm
