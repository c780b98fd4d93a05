#include "vm/launch/complaint.hpp"

#include <algorithm>
#include <cctype>

namespace nasvm {

std::string printable_line(std::string line) {
  if (std::ranges::none_of(line, [](unsigned char c) { return std::isalnum(c) != 0; })) return {};
  std::ranges::replace_if(
      line, [](unsigned char c) { return std::iscntrl(c) != 0; }, ' ');
  while (line.back() == ' ') line.pop_back();
  return line;
}

}  // namespace nasvm
