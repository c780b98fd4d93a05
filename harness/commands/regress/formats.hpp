#pragma once
/// \file
/// What a judgement looks like as text: for people, and for what runs in continuous integration (docs/ci.md).

#include <span>
#include <string>
#include <string_view>

#include "harness/commands/regress/verdict.hpp"

namespace nasvm {

struct JudgementFormat {
  std::string_view name;                              ///< "junit"
  std::string (*render)(const Judgement& judgement);  ///< the whole text, ending in a newline
};

/// table, json, markdown, junit, github, benchmark-action, prometheus; the first is the default.
std::span<const JudgementFormat> judgement_formats();

}  // namespace nasvm
