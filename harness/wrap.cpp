#include "harness/wrap.hpp"

#include <algorithm>
#include <optional>

namespace nasvm {
namespace {

/// Descriptions whose names leave no room beside them begin at least here.
constexpr std::size_t far_right = 10;
/// Descriptions are not squeezed into less.
constexpr std::size_t least_width = 20;

/// The column in which the description of a line begins; none where the line must stay whole.
std::optional<std::size_t> description_column(std::string_view line) {
  const std::size_t begin = std::min(line.find_first_not_of(' '), line.size());
  if (begin == 0 || begin >= far_right) return begin;
  const std::size_t gap = line.find("  ", begin);
  if (gap == std::string_view::npos) return std::nullopt;
  return line.find_first_not_of(' ', gap);
}

/// The line's parts, each but the first behind `column` spaces.
std::string broken(std::string_view line, std::size_t column, std::size_t width) {
  std::string text;
  const std::size_t most = std::max(width, column + least_width);
  std::size_t begin = 0;  // of what goes on the present line, whose words begin in `column`
  std::size_t room = most;
  while (line.size() - begin > room) {
    const std::size_t first = begin + (begin == 0 ? column : 0);
    std::size_t end = line.rfind(' ', begin + room);
    if (end == std::string_view::npos || end <= first) end = line.find(' ', begin + room);
    if (end == std::string_view::npos) break;
    text += std::string(line.substr(begin, end - begin)) + "\n" + std::string(column, ' ');
    begin = end + 1;
    room = most - column;
  }
  return text + std::string(line.substr(begin));
}

}  // namespace

std::string wrapped(std::string_view text, std::size_t width) {
  std::string all;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    const auto column = description_column(line);
    all += column && line.size() > width ? broken(line, *column, width) : std::string(line);
    if (line.size() < text.size()) all += '\n';
    text.remove_prefix(std::min(line.size() + 1, text.size()));
  }
  return all;
}

}  // namespace nasvm
