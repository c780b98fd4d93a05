#pragma once
/// \file
/// Tables, CSV and HTML of `nasvm reproduce`.

#include <span>
#include <string>
#include <vector>

#include "harness/report/view.hpp"

namespace nasvm {

/// The tables of the report, each below its title.
std::vector<Grid> reproduce_grids(std::span<const Source> sources, Columns columns);

/// One line for each run, with its testbed and its efficiency.
std::string reproduce_csv(std::span<const Source> sources);

/// The report as a page.
std::string render_reproduce_html(const Report& report);

}  // namespace nasvm
