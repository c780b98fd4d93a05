#include "vm/system/remarks.hpp"

#include <algorithm>
#include <cctype>

namespace nasvm {
namespace {

constexpr std::size_t longest = 300;

}  // namespace

void Remarks::add(const std::string& line) {
  const bool says_something = std::ranges::any_of(line, [](unsigned char c) { return std::isalpha(c) != 0; });
  if (says_something && words_.size() < longest) words_ += (words_.empty() ? "" : " ") + line;
}

std::string Remarks::after(const std::string& text) const { return words_.empty() ? text : text + ": " + words_; }

}  // namespace nasvm
