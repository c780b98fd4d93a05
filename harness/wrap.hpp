#pragma once
/// \file
/// Texts as wide as the terminal: help, headings and notes. Texts are UTF-8, and each sign takes one column.

#include <cstddef>
#include <string>
#include <string_view>

namespace nasvm {

/// How many columns the text takes.
std::size_t terminal_columns(std::string_view text);

/// As much of its beginning as takes no more columns than that.
std::string_view first_columns(std::string_view text, std::size_t columns);

/// Lines longer than `width` broken between words. What follows a name and at least two spaces stays in the column in
/// which it began, as does what begins far to the right. Indented lines without such a column are commands to be
/// copied, and stay whole.
std::string wrapped(std::string_view text, std::size_t width);

}  // namespace nasvm
