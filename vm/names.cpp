#include "vm/names.hpp"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

namespace nasvm {
namespace {

bool same(char a, char b) {
  return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
}

/// Changes that make `b` of `a`, by dynamic programming over their beginnings (optimal string alignment).
std::size_t changes(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> least(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        least[i][j] = i + j;
        continue;
      }
      const std::size_t other = least[i - 1][j - 1] + (same(a[i - 1], b[j - 1]) ? 0 : 1);
      least[i][j] = std::min({other, least[i - 1][j] + 1, least[i][j - 1] + 1});
      const bool swapped = i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]);
      if (swapped) least[i][j] = std::min(least[i][j], least[i - 2][j - 2] + 1);
    }
  }
  return least[a.size()][b.size()];
}

/// A letter of a short name, a third of a long one.
std::size_t allowed_changes(std::string_view a, std::string_view b) {
  return std::max<std::size_t>(1, std::max(a.size(), b.size()) / 3);
}

}  // namespace

std::string_view likely_name(std::string_view typed, std::span<const std::string_view> known) {
  constexpr std::size_t longest = 64;  // nobody mistypes a name into that; the search would take long
  if (typed.size() > longest) return {};
  std::string_view likely;
  std::size_t fewest = longest;
  for (const std::string_view name : known) {
    const std::size_t count = changes(typed, name);
    if (count > allowed_changes(typed, name) || count >= fewest) continue;
    likely = name;
    fewest = count;
  }
  return likely;
}

std::string hint(std::string_view typed, std::span<const std::string_view> known) {
  const std::string_view likely = likely_name(typed, known);
  return likely.empty() ? "" : " (did you mean " + std::string(likely) + "?)";
}

std::string unknown_name(std::string_view kind, std::string_view typed, std::span<const std::string_view> known) {
  return fmt::format("unknown {} \"{}\"{}; known: {}", kind, typed, hint(typed, known), fmt::join(known, ", "));
}

}  // namespace nasvm
