#include "harness/wrap.hpp"

#include <algorithm>
#include <optional>

namespace nasvm {
namespace {

/// Descriptions whose names leave no room beside them begin at least here.
constexpr std::size_t far_right = 10;
/// Descriptions are not squeezed into less.
constexpr std::size_t least_width = 20;

/// All bytes of a sign but its first are 10xxxxxx.
bool begins_sign(char byte) { return (static_cast<unsigned char>(byte) & 0xc0U) != 0x80U; }

/// The byte at which the description of a line begins; none where the line must stay whole.
std::optional<std::size_t> description_begin(std::string_view line) {
  const std::size_t begin = std::min(line.find_first_not_of(' '), line.size());
  if (begin == 0 || begin >= far_right) return begin;
  const std::size_t gap = line.find("  ", begin);
  if (gap == std::string_view::npos) return std::nullopt;
  return line.find_first_not_of(' ', gap);
}

/// The line's parts, each but the first below its description, which begins at that byte.
std::string broken(std::string_view line, std::size_t description, std::size_t width) {
  std::string text;
  const std::size_t column = terminal_columns(line.substr(0, description));
  const std::size_t most = std::max(width, column + least_width);
  std::size_t begin = 0;  // of what goes on the present line, whose words begin in `column`
  std::size_t room = most;
  while (terminal_columns(line.substr(begin)) > room) {
    const std::size_t first = begin + (begin == 0 ? description : 0);
    const std::size_t full = begin + first_columns(line.substr(begin), room).size();
    std::size_t end = line.rfind(' ', full);
    if (end == std::string_view::npos || end <= first) end = line.find(' ', full);
    if (end == std::string_view::npos) break;
    text += std::string(line.substr(begin, end - begin)) + "\n" + std::string(column, ' ');
    begin = end + 1;
    room = most - column;
  }
  return text + std::string(line.substr(begin));
}

}  // namespace

std::size_t terminal_columns(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, begins_sign));
}

std::string_view first_columns(std::string_view text, std::size_t columns) {
  std::size_t end = 0;
  for (; end < text.size(); ++end) {
    if (begins_sign(text[end]) && columns-- == 0) break;
  }
  return text.substr(0, end);
}

std::string wrapped(std::string_view text, std::size_t width) {
  std::string all;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    const auto description = description_begin(line);
    all += description && terminal_columns(line) > width ? broken(line, *description, width) : std::string(line);
    if (line.size() < text.size()) all += '\n';
    text.remove_prefix(std::min(line.size() + 1, text.size()));
  }
  return all;
}

}  // namespace nasvm
