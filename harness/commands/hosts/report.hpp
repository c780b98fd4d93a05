#pragma once
/// \file
/// A survey as text.

#include <string>

#include "harness/commands/hosts/survey.hpp"

namespace nasvm {

/// For people. Pairs of tasks that are alike in everything but their ranks share a line, unless `all_pairs`.
std::string survey_table(const Survey& survey, bool all_pairs, std::size_t width = 0);

/// A line for each host; with methods, for each pair of tasks over each order.
std::string survey_csv(const Survey& survey);

/// Everything, pair by pair, as JSON of schema "nasvm-hosts/1".
std::string survey_json(const Survey& survey);

}  // namespace nasvm
