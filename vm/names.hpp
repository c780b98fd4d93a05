#pragma once
/// \file
/// Names that users type: those that a table knows, and which of them a wrong one was likely meant for.

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nasvm {

/// The names of the rows of a table.
template <typename Rows>
std::vector<std::string_view> names_of(const Rows& rows) {
  std::vector<std::string_view> names;
  for (const auto& row : rows) names.emplace_back(row.name);
  return names;
}

/// The known name that `typed` becomes with the fewest changes of single letters, upper and lower case alike: letters
/// more, less, or other ones, and neighbours that changed places. Empty when a third of the letters would change.
///
/// Source: F. J. Damerau, "A Technique for Computer Detection and Correction of Spelling Errors", Communications of
/// the ACM 7(3), 1964.
std::string_view likely_name(std::string_view typed, std::span<const std::string_view> known);

/// " (did you mean direct?)", or nothing when no known name is near.
std::string hint(std::string_view typed, std::span<const std::string_view> known);

/// "unknown launcher "locl" (did you mean local?); known: local, ssh"
std::string unknown_name(std::string_view kind, std::string_view typed, std::span<const std::string_view> known);

}  // namespace nasvm
