#pragma once
/// \file
/// Small things done to texts.

#include <string>
#include <string_view>

#include "vm/names.hpp"

namespace nasvm {

/// The texts (or single letters) of a range, one after the other: "ep, mg, cg".
template <typename Range>
std::string joined(const Range& texts, std::string_view separator = ", ") {
  std::string all;
  bool first = true;
  for (const auto& text : texts) {
    if (!first) all += separator;
    all += text;
    first = false;
  }
  return all;
}

/// "1 task", "4 tasks".
template <typename Count>
std::string counted(Count count, std::string_view thing) {
  return std::to_string(count) + " " + std::string(thing) + (count == 1 ? "" : "s");
}

/// For terminals: what they would take for a command is spelled out, "\x1b", "\n".
std::string printable(std::string_view text);

/// For text and attributes of XML, SVG and HTML; a control character becomes a blank, and a byte that is not of UTF-8
/// the sign for that, U+FFFD.
std::string xml_escaped(std::string_view text);

}  // namespace nasvm
