#include "harness/text.hpp"

namespace nasvm {

std::string xml_escaped(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    if (c == '&') safe += "&amp;";
    else if (c == '<') safe += "&lt;";
    else if (c == '>') safe += "&gt;";
    else if (c == '"') safe += "&quot;";
    else safe += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return safe;
}

}  // namespace nasvm
