#pragma once
/// \file
/// Table, CSV and plot of how runs scale (scaling.hpp).

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/report/formats.hpp"

namespace nasvm {

/// The table as it stands below that of the runs; none where nothing was run at more than one size.
std::optional<Grid> scaling_grid_below(std::span<const Source> sources);

/// The table by itself, of all runs.
std::vector<Grid> scaling_grids(std::span<const Source> sources, Columns columns);

/// One line for each kernel, size and transport.
std::string scaling_csv(std::span<const Source> sources);

/// Speed-up and parallel efficiency over the number of tasks, a pair of charts for each kernel, as one SVG picture.
std::string render_scaling_svg(const Report& report);

}  // namespace nasvm
