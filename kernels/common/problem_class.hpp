#pragma once
/// \file
/// Looking up the class of a problem by its letter.

#include <algorithm>
#include <ranges>
#include <string>
#include <string_view>

#include "vm/status.hpp"

namespace nasvm {

/// The row of a kernel's table of classes with that `letter`. UsageError if it has none, with those that it has.
template <std::ranges::forward_range Classes>
const auto& find_class(const Classes& classes, char letter, std::string_view kernel) {
  using Row = std::ranges::range_value_t<Classes>;
  if (const auto found = std::ranges::find(classes, letter, &Row::letter); found != classes.end()) return *found;
  std::string letters;
  for (const Row& row : classes) letters += row.letter;
  throw UsageError(std::string(kernel) + " has no class '" + letter + "'; its classes are " + letters);
}

}  // namespace nasvm
