#pragma once
/// \file
/// How requests beside messages are shown: the lines of the paper's Figure 5.

#include <span>
#include <string>
#include <vector>

#include "harness/commands/p2p/service/record.hpp"
#include "harness/commands/p2p/tables.hpp"
#include "harness/report/compared.hpp"

namespace nasvm {

/// Sizes below each other, in each the transports.
std::vector<Grid> service_grids(std::span<const Source> sources, Columns columns);

/// One line for each run, transport and size.
std::string service_csv(std::span<const Source> sources);

/// The times of requests.
std::vector<Compared> compared_requests(const Document& document);

}  // namespace nasvm
