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

/// For text and attributes of XML, SVG and HTML; a control character becomes a blank.
std::string xml_escaped(std::string_view text);

}  // namespace nasvm
