#include "harness/cli/words.hpp"

#include <cstddef>
#include <utility>

#include <fmt/format.h>

#include "vm/status.hpp"

namespace nasvm {
namespace {

constexpr std::string_view blanks = " \t\n\v\f\r";

}  // namespace

std::vector<std::string> words_in(std::string_view option, std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  bool in_word = false;  // though it may be empty: ''
  char quote = 0;        // that is open
  for (std::size_t at = 0; at < text.size(); ++at) {
    char letter = text[at];
    if (quote == 0 && blanks.find(letter) != std::string_view::npos) {
      if (in_word) words.push_back(std::exchange(word, {}));
      in_word = false;
      continue;
    }
    in_word = true;
    if (quote == 0 ? letter == '\'' || letter == '"' : letter == quote) {
      quote = quote == 0 ? letter : '\0';
      continue;
    }
    if (letter == '\\' && quote != '\'') {
      const bool last = at + 1 == text.size();
      if (last && quote == 0) {
        throw UsageError(fmt::format("{} {}: expected a letter behind the last backslash", option, text));
      }
      if (!last && (quote == 0 || text[at + 1] == '"' || text[at + 1] == '\\')) letter = text[++at];
    }
    word += letter;
  }
  if (quote != 0)
    throw UsageError(fmt::format("{} {}: expected another {} that ends what is quoted", option, text, quote));
  if (in_word) words.push_back(word);
  return words;
}

}  // namespace nasvm
