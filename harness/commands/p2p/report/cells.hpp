#pragma once
/// \file
/// Cells that the tables of pairs and of collectives have in common.

#include <span>
#include <string>
#include <vector>

#include "harness/commands/p2p/record.hpp"

namespace nasvm {

/// How far the repeats of a figure lie apart, "12 %" of their median; "" for one repeat, "-" for none that counts.
std::string spread_text(std::span<const double> repeats, bool wrong);

/// Numbers that stand below each other, with their points in one line; `whole`: without digits behind the point.
std::vector<std::string> aligned_texts(std::span<const double> values, bool whole);

/// What became of a case's data: `check`, or that it arrived wrong.
std::string data_text(bool wrong, DataCheck check);

}  // namespace nasvm
