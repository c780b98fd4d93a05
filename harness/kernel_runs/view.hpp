#pragma once
/// \file
/// Tables, CSV and layouts of runs of kernels.

#include <span>
#include <string>
#include <vector>

#include "harness/report/formats.hpp"

namespace nasvm {

/// The columns of the paper (White, Ålund and Sunderam, "Performance of the NAS Parallel Benchmarks on PVM-Based
/// Networks", Tables 1 to 10): one row for each case, and below each group the ratios between its first and its last
/// transport in each document, and between the first and the last document, transport by transport. Below it how they
/// scale, where there are several sizes.
std::vector<Grid> run_grids(std::span<const Source> sources, Columns columns);

/// The columns that CSV of runs has behind the usual ones where any run has something for them.
std::vector<std::string> optional_run_columns(std::span<const Source> sources);

/// One line for each run.
std::string run_csv(std::span<const Source> sources);

/// For each run the result block in the layout of the NAS reference codes, for programs that read it.
std::string render_npb(const Report& report);

}  // namespace nasvm
