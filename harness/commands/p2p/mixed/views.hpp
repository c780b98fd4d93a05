#pragma once
/// \file
/// How two transports at once are shown: rows of the paper's Figures 6 and 7.

#include <span>
#include <string>
#include <vector>

#include "harness/commands/p2p/mixed/record.hpp"
#include "harness/commands/p2p/tables.hpp"
#include "harness/report/compared.hpp"

namespace nasvm {

/// "adaptive" or "16": a value of skip_poll, 0 for adaptive.
std::string skip_text(int skip_poll);

/// Sizes below each other, in each the values of skip_poll. Throws UsageError when the documents have not the same
/// two transports.
std::vector<Grid> mixed_grids(std::span<const Source> sources, Columns columns);

/// One line for each run, transport and size.
std::string mixed_csv(std::span<const Source> sources);

/// Latencies of each transport of the two.
std::vector<Compared> compared_mixed(const Document& document);

}  // namespace nasvm
