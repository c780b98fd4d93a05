#pragma once
/// \file
/// What differs between machines, builds and moments in the program's output, replaced by names in angle brackets:
/// the one place that knows it.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <regex>
#include <string>
#include <vector>

namespace nasvm::test::golden {

/// Decimal numbers with at most twelve significant digits: compilers may round the last ones of a product and sum in
/// different ways.
inline std::string with_short_numbers(const std::string& text) {
  constexpr std::size_t most_digits = 12;
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t end = std::min(text.find_first_not_of("0123456789.", i), text.size());
    const std::string token = text.substr(i, end - i);
    if (token.size() > most_digits + 1 && std::ranges::count(token, '.') == 1) {
      char number[64];
      std::snprintf(number, sizeof number, "%.12g", std::strtod(token.c_str(), nullptr));
      result += number;
    } else {
      result += token;
    }
    i = end;
    if (i < text.size()) result += text[i++];
  }
  return result;
}

struct Mask {
  std::regex what;
  std::string name;
};

inline const std::vector<Mask>& masks() {
  static const std::vector<Mask> all{
      // Everywhere.
      {std::regex(R"(20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ)"), "<created>"},
      {std::regex(R"(^Program:  nasvm \S+ \(\S+\), .+; 20\d\d-\d\d-\d\d \d\d:\d\d UTC)"),
       "Program:  nasvm <version> (<commit>), <compiler>; <created>"},
      {std::regex(R"((\] \d+/\d+  )\d+:\d\d)"), "$1<elapsed>"},
      {std::regex(R"(this system allows \d+ more)"), "this system allows <threads> more"},
      {std::regex(R"(\S+ \S+ \(\d+ bytes\) are available)"), "<memory> are available"},
      // Message systems that this build has not, in help texts.
      {std::regex(R"( \(not available: nasvm info\))"), ""},
      // "build" of documents, whose members have lines of their own; records have not.
      {std::regex(R"re(^(    "(version|commit|compiler|flags|date|simd)": )"[^"]*")re"), "$1\"<$2>\""},
      {std::regex(R"re(("(eigen|fftw|openmpi|pvm|isal|libsodium|cli11|nlohmann_json|fmt)": )"[^"]*")re"),
       "$1\"<$2>\""},
      // This machine in nasvm info; the fakes' one is a box.
      {std::regex(
           R"re(\{"name": "(?!box")[^"]*", "cpu": "[^"]*", "cores": \d+, "memory_bytes": \d+, "kernel": "[^"]*"[^}]*\})re"),
       R"({"name": "<host>", "cpu": "<cpu>", "cores": <cores>, "memory_bytes": <memory>, "kernel": "<kernel>"})"},
      {std::regex(R"(^ {14}L1 .*)"), "              <caches and modes>"},
      {std::regex(R"(^(  (commit|compiler|flags|built|kernels for|libraries|machine|counting|copying) +).*)"),
       "$1<$2>"},
      {std::regex(R"(^(  \S+ +(loop|strips|tile columns|slab form|cache hint|vectors|splitting|chunk): ).*)"),
       "$1<chosen> (<why>)"},
      {std::regex(R"re((\{"what": "[^"]*", "chosen": )"[^"]*", "why": "[^"]*"\})re"),
       R"($1"<chosen>", "why": "<why>"})"},
      {std::regex(R"(^nasvm \d\S*$)"), "nasvm <version>"},
      // CSV: of runs, and of ours beside peers.
      {std::regex(R"((<created>,box,)[^,]*,[^,]*((,\d+)?(,[a-z]+:[^,]*)?(,(true|false)?)?)$)"),
       "$1<version>,<commit>$2"},
      {std::regex(
           R"re(^([^,]*,[^,]*,[^,]*,[^,]*,nasvm [^"]*,)[^,]*,("[^"]*"|[^,]*),<created>(,[^,]*,(true|false)?)$)re"),
       "$1<version>,<flags>,<created>$3"},
      // Of builds held against each other.
      {std::regex(R"(^((Base|New): +\S+/nasvm \()[^)]*\))"), "$1<version>, <commit>)"},
      // npb and osu.
      {std::regex(R"(^( (Version|Compile date) += ).*)"), "$1<$2>"},
      {std::regex(R"((measured by nasvm )\S+)"), "$1<version>"},
  };
  return all;
}

inline std::string masked_line(std::string line) {
  for (const Mask& mask : masks()) line = std::regex_replace(line, mask.what, mask.name);
  return line;
}

}  // namespace nasvm::test::golden
