#pragma once
/// \file
/// A line of words, typed as for a shell.

#include <string>
#include <string_view>
#include <vector>

namespace nasvm {

/// The words of `text`, apart at blanks other than those in quotes ('...', "...") and behind a backslash. As in a
/// shell, '' is a word, in '...' a backslash is a letter like others, and in "..." it protects only a quote and a
/// backslash. Nothing is expanded. Throws UsageError, which begins with `option`, where a quote is not closed or a
/// backslash ends the text.
std::vector<std::string> words_in(std::string_view option, std::string_view text);

}  // namespace nasvm
