#pragma once
/// \file
/// Texts as wide as the terminal: help, headings and notes.

#include <string>
#include <string_view>

namespace nasvm {

/// Lines longer than `width` broken between words. What follows a name and at least two spaces stays in the column in
/// which it began, as does what begins far to the right. Indented lines without such a column are commands to be
/// copied, and stay whole.
std::string wrapped(std::string_view text, std::size_t width);

}  // namespace nasvm
