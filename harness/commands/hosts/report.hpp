#pragma once
/// \file
/// A survey as text.

#include <string>

#include "harness/commands/hosts/survey.hpp"

namespace nasvm {

/// For people. Pairs of tasks that are alike in everything but their ranks share a line, unless `all_pairs`.
std::string survey_table(const Survey& survey, bool all_pairs);

/// Everything, pair by pair, as JSON of schema "nasvm-hosts/1".
std::string survey_json(const Survey& survey);

}  // namespace nasvm
